// The requests as a table: one a line, sorted by any of its columns.

import { type Child, el } from './dom.ts'
import { nameOf, toneOf } from './requests.ts'
import { type ColumnId, columns, sortedRequests } from '../model/columns.ts'
import type { Scale } from '../model/scale.ts'
import type { Actions, State } from '../model/state.ts'

/** The longest table, in rows. */
const MAX_ROWS = 500

export function table(state: State, scale: Scale, actions: Actions): readonly Child[] {
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
