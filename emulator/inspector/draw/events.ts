// The events of a gateway in the timeline: from each accepted post over the run of its agent to its deliveries.

import { type Child, el } from './dom.ts'
import { heading, row } from './frame.ts'
import type { GatewayEvent } from '../model/events.ts'
import { textOf } from '../../lib/loose.ts'
import { type Scale, timeText } from '../model/scale.ts'
import type { Session } from '../model/session.ts'

export function eventRows(
  session: Session,
  scale: Scale,
  selection: string | null,
): readonly HTMLElement[] {
  const { events } = session
  if (events.length === 0) return []
  return [heading('Events'), ...events.map((one) => eventRow(one, session, scale, selection))]
}

function eventRow(
  event: GatewayEvent,
  session: Session,
  scale: Scale,
  selection: string | null,
): HTMLElement {
  const key = `g:${event.id}`
  const { outcome, tone } = outcomeOf(event)
  const label = [
    el('b', {}, event.route),
    el('span', { class: 'dim', title: event.id }, event.event ?? event.id),
    el('span', { class: `state ${tone}` }, outcome),
  ]
  const { xOf } = scale
  const { run } = event
  const end = run?.to ?? session.now
  return row(
    { class: 'event', key, label, height: 30, isSelected: selection === key },
    el('i', { class: 'post', left: xOf(event.at), title: 'the post is accepted' }),
    run !== null &&
      el(
        'div',
        {
          class: `bar ${run.to === null ? 'running' : run.content['status'] === 'failed' ? 'error' : 'success'}`,
          left: xOf(run.from),
          width: Math.max(3, xOf(end) - xOf(run.from)),
          title: `the agent runs for ${timeText(end - run.from)}`,
        },
        xOf(end) - xOf(run.from) > 90 && el('span', {}, `agent ${timeText(end - run.from)}`),
      ),
    ...deliveryMarks(event, scale),
  )
}

/** A mark for each attempt, beside each other where they happen at one time. */
function deliveryMarks({ deliveries }: GatewayEvent, { xOf }: Scale): readonly Child[] {
  let free = -Infinity
  return deliveries.map(({ target, attempt, to, from, error }, index) => {
    const tone = to === null ? 'running' : error === null ? 'success' : 'error'
    const left = Math.max(free, xOf(to ?? from))
    free = left + MARK
    const done = tone === 'success' ? 'delivered' : 'under way'
    const words = `${target} ${error ?? done}${attempt > 1 ? ` at attempt ${attempt}` : ''}`
    const isLast = index === deliveries.length - 1
    return el(
      'i',
      { class: `delivery ${tone}`, left, title: words },
      isLast && el('span', {}, words),
    )
  })
}

/** The width of a mark, in pixels. */
const MARK = 14

/** How an event stands. */
export function outcomeOf({ run, deliveries }: GatewayEvent): {
  readonly outcome: string
  readonly tone: string
} {
  const last = deliveries.at(-1)
  if (last !== undefined) {
    if (last.to === null) return { outcome: 'delivering', tone: 'running' }
    return last.error === null
      ? { outcome: 'delivered', tone: 'success' }
      : { outcome: 'undelivered', tone: 'error' }
  }
  if (run === null) return { outcome: 'accepted', tone: 'success' }
  if (run.to === null) return { outcome: 'running', tone: 'running' }
  const isFailed = run.content['status'] === 'failed'
  return { outcome: textOf(run.content['status']) ?? 'done', tone: isFailed ? 'error' : 'success' }
}
