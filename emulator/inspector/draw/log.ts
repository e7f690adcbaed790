// The log: everything that happened, one line each, in order. The arrow keys go through the same lines.

import { kindOf } from './clients.ts'
import { nameOf, toneOf } from './requests.ts'
import { type Child, el } from './dom.ts'
import { nodeKey } from '../model/findings.ts'
import { clockText } from '../model/scale.ts'
import type { Session } from '../model/session.ts'
import type { Actions, State } from '../model/state.ts'

/** A thing that happened. */
export type Item = {
  readonly key: string
  readonly at: number
  /** The row of the timeline that shows it. */
  readonly lane: string
  readonly text: string
  readonly tone: string
}

const names: Readonly<Record<string, string>> = { success: 'done', error: 'failed' }

export function itemsOf(session: Session): readonly Item[] {
  const { requests, runs, clients, hits, events } = session
  const items: Item[] = requests.map((one) => ({
    key: `e${one.entry}`,
    at: one.at,
    lane: 'requests',
    text: nameOf(one, session),
    tone: toneOf(one),
  }))
  for (const run of runs) {
    const { id, number, from, to, state } = run
    const lane = `r:${id}`
    if (from !== null)
      items.push({ key: lane, at: from, lane, text: `run ${number} begins`, tone: 'info' })
    for (const node of run.nodes.values())
      if (node.from !== null) {
        const text = `${node.title || node.id} ${names[node.state] ?? node.state}`
        items.push({ key: nodeKey(run, node), at: node.from, lane, text, tone: node.state })
      }
    if (to !== null)
      items.push({
        key: lane,
        at: to,
        lane,
        text: `run ${number} ${names[state] ?? state}`,
        tone: state,
      })
  }
  for (const { name, messages } of clients)
    for (const one of messages) {
      const arrow = one.state === 'received' ? '→' : one.state === 'sent' ? '←' : '✕'
      const text = `${name} ${arrow} ${one.type}`
      items.push({ key: `m${one.key}`, at: one.at, lane: `c:${name}`, text, tone: kindOf(one) })
    }
  for (const { id, entry, at } of hits)
    items.push({ key: `e${entry}`, at, lane: `f:${id}`, text: `${id} applies`, tone: 'bad' })
  for (const { id, route, at, event } of events)
    items.push({
      key: `g:${id}`,
      at,
      lane: `g:${id}`,
      text: `${route} ${event ?? ''}`,
      tone: 'info',
    })
  return items.toSorted((a, b) => a.at - b.at)
}

/** The longest log, in lines. */
const MAX_LINES = 600

export function log({ shown, selection }: State, actions: Actions): readonly Child[] {
  const all = itemsOf(shown)
  const lines = all.slice(-MAX_LINES).map(({ key, at, text, tone }) =>
    el(
      'button',
      {
        class: `happening ${tone}${key === selection ? ' selected' : ''}`,
        focus: `line ${key} ${text}`,
        click: () => actions.select(key),
      },
      el('span', { class: 'at' }, clockText(at)),
      el('span', {}, text),
    ),
  )
  return [
    all.length > MAX_LINES &&
      el('p', { class: 'dim' }, `The latest ${MAX_LINES} of ${all.length}.`),
    ...lines,
  ]
}
