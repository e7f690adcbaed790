// A session as the page shows it: everything that its journal says, by subject.

import { type Client, clientsOf } from './clients.ts'
import { eventsOf, type GatewayEvent, type OtherPost } from './events.ts'
import type { Members } from '../../lib/loose.ts'
import { type Entry, type Journal, sinceStart } from './journal.ts'
import { type Request, requestsOf } from './requests.ts'
import { type Run, runsOf } from './runs.ts'

/** The kind and the time of a clock. */
export type Clock = {
  readonly clock: string
  readonly nowMs: number
  readonly nextMs: number | null
}

/** A fault in force. */
export type Fault = {
  readonly id: string
  readonly fault: { readonly when: Members; readonly then: Members }
  readonly matched: number
  readonly applied: number
}

/** When a fault applied. */
export type Hit = { readonly id: string; readonly entry: number; readonly at: number }

export type Session = {
  readonly isGateway: boolean
  readonly options: Members
  readonly entries: readonly Entry[]
  /** Whether none of its entries is missing. */
  readonly isComplete: boolean
  /** The number of the first entry from which on none is missing. */
  readonly first: number
  /** The number of all its requests, also of those whose entries are missing. */
  readonly requestCount: number
  readonly clock: Clock
  /** The present time of the world. */
  readonly now: number
  readonly requests: readonly Request[]
  readonly runs: readonly Run[]
  readonly clients: readonly Client[]
  readonly faults: readonly Fault[]
  readonly hits: readonly Hit[]
  readonly events: readonly GatewayEvent[]
  /** What became of the posts of a gateway that were not accepted, by entry. */
  readonly others: ReadonlyMap<number, OtherPost>
}

export function sessionOf(journal: Journal, clock: Clock, faults: readonly Fault[]): Session {
  const { isGateway, options, first } = journal
  const entries = sinceStart(journal.entries)
  const requests = requestsOf(entries)
  const isComplete = first === 0 || entries.length < journal.entries.length
  const earlier = isComplete ? null : journal.earlier
  const uncounted = requests.filter(({ entry }) => entry >= (earlier?.next ?? 0)).length
  const { events, others } = isGateway ? eventsOf(entries) : { events: [], others: new Map() }
  return {
    isGateway,
    options,
    entries,
    isComplete,
    first,
    requestCount: (earlier?.requests ?? 0) + uncounted,
    clock,
    now: Math.max(clock.nowMs, entries.at(-1)?.at ?? 0),
    requests,
    runs: isGateway ? [] : runsOf(entries, requests, earlier),
    clients: isGateway ? [] : clientsOf(entries),
    faults,
    hits: entries.flatMap(({ n, at, effects }) =>
      effects.flatMap(({ kind, id }) => (kind === 'fault' ? { id: String(id), entry: n, at } : [])),
    ),
    events,
    others,
  }
}
