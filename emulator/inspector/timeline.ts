// Draws the timeline or the table of requests, and changes which part of the time they show.

import { type Child, el, fill } from './draw/dom.ts'
import { clientRows, faultRows } from './draw/clients.ts'
import { eventRows } from './draw/events.ts'
import { grid, ruler } from './draw/frame.ts'
import { nameOf, requestRows, toneOf } from './draw/requests.ts'
import { runRows } from './draw/runs.ts'
import { storedTable } from './draw/stored.ts'
import { type Range, type Scale, scaleOf } from './model/scale.ts'
import type { Actions, State } from './model/state.ts'
import { type ColumnId, columns, sortedRequests } from './model/columns.ts'

/** The width of the labels before the tracks, as the style has it: on a narrow page they are short. */
const labelsOf = (element: HTMLElement): number => (element.clientWidth < 600 ? 128 : 216)
/** How much a step of zoom changes. */
const ZOOM = 1.4

export const scaleFor = ({ shown, range }: State, element: HTMLElement): Scale =>
  scaleOf(shown, Math.max(200, element.clientWidth - labelsOf(element) - 12), range)

export function drawTimeline(element: HTMLElement, state: State, actions: Actions): void {
  const { view } = state
  const scale = scaleFor(state, element)
  const { scrollTop } = element
  if (view === 'stored' && state.stored !== null) fill(element, ...storedTable(state, actions))
  else if (view === 'requests') fill(element, ...table(state, scale, actions))
  else fill(element, ...rowsOf(state, scale, actions))
  element.scrollTop = scrollTop
}

function rowsOf(state: State, scale: Scale, actions: Actions): readonly Child[] {
  const { shown: session, selection } = state
  return [
    ruler(scale),
    grid(scale, session.now),
    ...requestRows(session, scale, selection),
    ...eventRows(session, scale, selection),
    ...clientRows(session, scale, selection),
    ...faultRows(session, scale, selection),
    ...runRows(state, scale, actions),
  ]
}

/** The range after a zoom around a position of the page. */
export function zoomed(
  state: State,
  element: HTMLElement,
  isIn: boolean,
  pageX?: number,
): Range | null {
  const { range, whole, width } = scaleFor(state, element)
  const left = element.getBoundingClientRect().left + labelsOf(element)
  const share = pageX === undefined ? 0.5 : Math.min(1, Math.max(0, (pageX - left) / width))
  const length = range.end - range.start
  const next = isIn ? length / ZOOM : length * ZOOM
  if (next >= whole.end - whole.start) return null
  const start = range.start + (length - next) * share
  return { start, end: start + next }
}

/** The range after a move by this share of its width. */
export function moved(state: State, element: HTMLElement, share: number): Range | null {
  const { range, whole } = scaleFor(state, element)
  if (state.range === null) return null
  const length = range.end - range.start
  const start = Math.min(Math.max(range.start + length * share, whole.start), whole.end - length)
  return { start, end: start + length }
}

/** The longest table, in rows. */
const MAX_ROWS = 500

function table(state: State, scale: Scale, actions: Actions): readonly Child[] {
  const { shown: session, sort, selection } = state
  const all = sortedRequests(session, sort, state.range === null ? null : scale)
  const ids = Object.keys(columns) as ColumnId[]
  const head = ids.map((id) => {
    const isOwn = id === sort.by
    const order = isOwn ? (sort.isDown ? 'descending' : 'ascending') : 'none'
    const click = (): void => actions.sort({ by: id, isDown: isOwn && !sort.isDown })
    return el(
      'th',
      { class: `c-${id}`, attributes: { 'aria-sort': order } },
      el('button', { focus: `sort ${id}`, click }, columns[id].name),
    )
  })
  const rows = all.slice(0, MAX_ROWS).map((one) => {
    const key = `e${one.entry}`
    const selected = key === selection ? ' selected' : ''
    return el(
      'tr',
      { class: `line ${toneOf(one)}${selected}`, key, title: nameOf(one, session) },
      ...ids.map((id) => el('td', { class: `c-${id}` }, columns[id].text(one, session))),
    )
  })
  return [
    el(
      'table',
      { class: 'requests-table' },
      el('thead', {}, el('tr', {}, ...head)),
      el('tbody', {}, ...rows),
    ),
    all.length === 0 && el('p', { class: 'empty' }, 'No request matches.'),
    all.length > MAX_ROWS &&
      el(
        'p',
        { class: 'empty' },
        `The first ${MAX_ROWS} of ${all.length}: filter, or drag a range above.`,
      ),
  ]
}
