// The events of a gateway: each accepted post with the run of its agent and the deliveries that follow.

import { membersOf, textOf, type Members } from '../../lib/loose.ts'
import type { Entry } from './journal.ts'

export type Delivery = {
  readonly target: string
  readonly attempt: number
  readonly entry: number
  readonly from: number
  to: number | null
  /** The error of a failed attempt. */
  error: string | null
  /** The entry of the outbox, as the gateway keeps it. */
  content: Members
}

export type GatewayEvent = {
  readonly id: string
  readonly route: string
  readonly event: string | null
  readonly entry: number
  readonly at: number
  /** The run of its agent; null for a route that delivers directly. */
  run: { from: number; to: number | null; entry: number; content: Members } | null
  readonly deliveries: Delivery[]
}

/** What became of a post that was not accepted. */
export type OtherPost = {
  readonly entry: number
  readonly verdict: string
  readonly reason: string | null
}

export function eventsOf(entries: readonly Entry[]): {
  readonly events: readonly GatewayEvent[]
  readonly others: ReadonlyMap<number, OtherPost>
} {
  const events = new Map<string, GatewayEvent>()
  const others = new Map<number, OtherPost>()
  for (const entry of entries)
    for (const effect of entry.effects) {
      const { kind, verdict, reason } = effect
      if (kind === 'post' && verdict === 'accepted') addEvent(events, entry, effect)
      else if (kind === 'post')
        others.set(entry.n, { entry: entry.n, verdict: String(verdict), reason: textOf(reason) })
      else if (kind === 'run') noteRun(events, entry, membersOf(effect['run']))
      else if (kind === 'deliver') noteDelivery(events, entry, membersOf(effect['delivery']), false)
      else if (kind === 'outbox') noteDelivery(events, entry, membersOf(effect['entry']), true)
    }
  return { events: [...events.values()], others }
}

function addEvent(events: Map<string, GatewayEvent>, { n, at }: Entry, post: Members): void {
  const { delivery_id, route, event } = post
  const blank = { run: null, deliveries: [] }
  const id = String(delivery_id)
  events.set(id, { id, route: String(route), event: textOf(event), entry: n, at, ...blank })
}

function noteRun(events: Map<string, GatewayEvent>, { n, at }: Entry, run: Members): void {
  const event = events.get(String(run['delivery_id']))
  if (event === undefined) return
  const isEnd = run['status'] !== 'running'
  if (event.run === null) event.run = { from: at, to: isEnd ? at : null, entry: n, content: run }
  else Object.assign(event.run, { to: isEnd ? at : null, content: run })
}

function noteDelivery(
  events: Map<string, GatewayEvent>,
  { n, at }: Entry,
  content: Members,
  isEnd: boolean,
): void {
  const event = events.get(String(content['delivery_id']))
  const [target, attempt] = [String(content['target']), Number(content['attempt'])]
  const begun = event?.deliveries.find((one) => one.target === target && one.attempt === attempt)
  const end = isEnd ? { to: at, error: textOf(content['error']) } : { to: null, error: null }
  if (begun !== undefined) Object.assign(begun, end, { content })
  else event?.deliveries.push({ target, attempt, entry: n, from: at, content, ...end })
}
