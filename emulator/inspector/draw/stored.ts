// The stored runs of a gateway: a table of them, and the details of one.

import { finalStates } from '../../../spec/gateway/store.ts'
import { MAX_RUNS, type StoredChange, type StoredRun } from '../model/stored.ts'
import type { Actions, State } from '../model/state.ts'
import { body, facts, json, link, part, title } from './detail-parts.ts'
import { type Child, el } from './dom.ts'

const toneOf = ({ state }: StoredRun): string =>
  state === 'dead' ? 'bad' : state === 'cancelled' ? 'warn' : ''

const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** The columns, with their widths as the style has them. */
const columns: readonly (readonly [
  name: string,
  wide: string,
  text: (run: StoredRun, actions: Actions) => Child,
])[] = [
  ['Accepted', 'wide', ({ accepted_ms }) => time(accepted_ms)],
  ['State', 'name', ({ state }) => state],
  ['Route', 'name', ({ route }) => route],
  ['Delivery', 'path', ({ key, delivery_id }, actions) => link(actions, `s:${key}`, delivery_id)],
  ['Target', 'wide', ({ target }) => target],
  ['Attempt', 'method', ({ attempt }) => attempt],
  ['Error', 'path', ({ error }) => error],
]

export function storedTable({ stored, selection }: State, actions: Actions): readonly Child[] {
  const rows = stored?.rows ?? []
  const cell = (tag: 'td' | 'th', wide: string, content: Child): HTMLElement =>
    el(tag, { class: `c-${wide}` }, content)
  return [
    el(
      'table',
      { class: 'requests-table' },
      el(
        'thead',
        {},
        el('tr', {}, ...columns.map(([name, wide]) => cell('th', wide, el('span', {}, name)))),
      ),
      el(
        'tbody',
        {},
        ...rows.map((run) => {
          const key = `s:${run.key}`
          const selected = key === selection ? ' selected' : ''
          return el(
            'tr',
            { class: `line ${toneOf(run)}${selected}`, key, title: run.error ?? run.delivery_id },
            ...columns.map(([, wide, text]) => cell('td', wide, text(run, actions))),
          )
        }),
      ),
    ),
    rows.length === 0 && el('p', { class: 'empty' }, 'The store has no such run.'),
    rows.length === MAX_RUNS && el('p', { class: 'empty' }, `The latest ${MAX_RUNS}.`),
  ]
}

/** The texts of a run by member. */
const texts = {
  prompt: 'Prompt',
  answer: 'Answer',
  agent_error: 'Why the agent failed',
  text: 'Text to deliver',
}

export function storedDetails(key: string, { stored }: State, actions: Actions): readonly Child[] {
  const run = stored?.run?.key === key ? stored.run : stored?.rows.find((one) => one.key === key)
  if (run === undefined) return ['The store does not have this run.']
  const isOver = finalStates.some((state) => state === run.state)
  const changes: readonly (readonly [StoredChange, string, string])[] = isOver
    ? [
        ['retry', 'Retry', 'Delivers its answer again; without one the agent runs again'],
        ['drop', 'Drop', 'Deletes it from the store'],
      ]
    : [['cancel', 'Cancel', 'Ends it without a delivery']]
  const { state, delivery_id, target, attempt, begun, accepted_ms, error } = run
  return [
    title(`${run.route} ${state}`, toneOf(run)),
    facts(
      ['delivery id', delivery_id],
      ['target', target],
      ['accepted', time(accepted_ms)],
      ['agent starts', begun],
      ['attempt', attempt],
      ['error', error !== null && el('span', { class: 'bad' }, error)],
    ),
    el(
      'p',
      { class: 'acts' },
      ...changes.map(([what, name, hint]) =>
        el(
          'button',
          {
            class: 'button',
            focus: what,
            title: hint,
            click: () => actions.changeStored(what, key),
          },
          name,
        ),
      ),
    ),
    ...Object.entries(texts).map(([name, heading]) =>
      part(heading, typeof run[name] === 'string' && json(run[name])),
    ),
    part('Payload', typeof run['payload'] === 'string' && body(run['payload'])),
  ]
}
