// The runs in the timeline: a row for each, or when it is open a row for each of its nodes, and its previews as a filmstrip.

import { type Child, el } from './dom.ts'
import { image } from './pictures.ts'
import { heading, isBefore, isVisible, row, widthOf, words } from './frame.ts'
import { endOf, errorText, nodeKey } from '../model/findings.ts'
import type { Preview, Run, RunNode } from '../model/runs.ts'
import { type Scale, timeText } from '../model/scale.ts'
import type { Session } from '../model/session.ts'
import type { Actions, State } from '../model/state.ts'

/** So many of the latest runs can be open unless the user says otherwise. */
const OPEN_RUNS = 6
const THUMB = 40

export function runRows(state: State, scale: Scale, actions: Actions): readonly HTMLElement[] {
  const { runs } = state.shown
  if (runs.length === 0) return []
  return [heading('Runs'), ...runs.flatMap((run) => rowsOf(run, state, scale, actions))]
}

/** Whether a run is open: unless the user says otherwise, one that is under way or did not succeed, and the latest. */
export function isOpen({ opened, session: { runs } }: State, { id, number, state }: Run): boolean {
  const last = runs.at(-1)?.number ?? 0
  const isNotable = state === 'error' || state === 'interrupted' || state === 'running'
  return opened.get(id) ?? (number === last || (isNotable && number > last - OPEN_RUNS))
}

function rowsOf(run: Run, state: State, scale: Scale, actions: Actions): readonly HTMLElement[] {
  const { shown: session, selection } = state
  const isNow = isOpen(state, run)
  const label = [
    el('button', {
      class: `twisty ${isNow ? 'open' : ''}`,
      focus: `twisty ${run.id}`,
      click: (event) => {
        event.stopPropagation()
        actions.toggle(run.id)
      },
      attributes: { 'aria-expanded': `${isNow}`, 'aria-label': `Nodes of run ${run.number}` },
    }),
    el('b', {}, `Run ${run.number}`),
    el('span', { class: 'dim' }, run.client ?? run.id.slice(0, 8)),
    el(
      'span',
      { class: `state ${run.state}` },
      run.state === 'success' ? 'done' : run.state === 'error' ? 'failed' : run.state,
    ),
  ]
  const own = row(
    {
      class: 'run',
      key: `r:${run.id}`,
      label,
      height: 24,
      isSelected: selection === `r:${run.id}`,
    },
    ...(isNow ? [] : nodeMarks(run, session, scale, selection)),
    ...lifeMarks(run, session, scale, isNow),
  )
  if (!isNow) return [own]
  const nodes = [...run.nodes.values()]
  const cached = nodes.filter((node) => node.state === 'cached')
  const never = nodes.filter((node) => node.state === 'waiting')
  const ran = nodes
    .filter((node) => node.from !== null && node.state !== 'cached')
    .toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0))
  const isOver = run.to !== null
  return [
    own,
    ...(cached.length > 0 ? [chipRow(run, cached, 'cached', scale, selection)] : []),
    ...ran.flatMap((node) =>
      [nodeRow(run, node, session, scale, selection)].concat(
        filmstrip(run, node, scale, selection),
      ),
    ),
    ...(isOver && never.length > 0 && run.state !== 'removed'
      ? [chipRow(run, never, 'not run', scale, selection)]
      : []),
  ]
}

/** The time in the queue. Its words are left out where those of the run need the room. */
function waitMark(run: Run, { now }: Session, { xOf }: Scale, isNamed: boolean): Child {
  const { submittedAt, from, to } = run
  if (submittedAt === null) return null
  const end = from ?? to ?? now
  const [left, width] = [xOf(submittedAt), xOf(end) - xOf(submittedAt)]
  const time = timeText(end - submittedAt)
  return el(
    'div',
    { class: 'wait', left, width, title: `in the queue for ${time}` },
    isNamed && width > 110 && el('span', {}, `queued ${time}`),
  )
}

/** A run from its submit to its end, and how that went. */
function lifeMarks(run: Run, session: Session, scale: Scale, isNow: boolean): readonly Child[] {
  const { from, to, state } = run
  const { now } = session
  if (from === null) return [waitMark(run, session, scale, true)]
  const node = endOf(run)
  const took = timeText((to ?? now) - from)
  const why = state === 'error' && !isNow ? ` in ${node?.title ?? '?'}: ${errorText(node)}` : ''
  const cached = [...run.nodes.values()].filter((one) => one.state === 'cached').length
  const kept = isNow || cached === 0 ? '' : `, ${cached} cached`
  const result = state === 'success' ? 'done' : state === 'error' ? 'failed' : state
  const text = `${result} ${to === null ? 'for' : 'after'} ${took}${why}${kept}`
  const last = isNow ? undefined : run.previews.at(-1)
  const [x, end] = [scale.xOf(from), scale.xOf(to ?? now)]
  const wordsEnd = end + (last ? 28 : 0)
  return [
    waitMark(run, session, scale, !isBefore(scale.width, x, wordsEnd, text)),
    isNow && el('div', { class: `life ${state}`, left: x, width: end - x }),
    last &&
      el(
        'div',
        { class: 'thumb small', key: `p${last.key}`, left: end + 8 },
        image(last.key, 'the last preview'),
      ),
    words(scale, x, wordsEnd, text, state),
  ]
}

/** The nodes of a closed run, one after the other. */
const nodeMarks = (
  run: Run,
  session: Session,
  scale: Scale,
  selection: string | null,
): readonly Child[] =>
  [...run.nodes.values()].flatMap((node) =>
    node.from === null || node.state === 'cached'
      ? []
      : bar(run, node, session, scale, selection, true),
  )

function bar(
  run: Run,
  node: RunNode,
  { now }: Session,
  scale: Scale,
  selection: string | null,
  isNamed: boolean,
): HTMLElement {
  const [from, to] = [node.from ?? 0, node.to ?? now]
  const width = Math.max(3, scale.xOf(to) - scale.xOf(from))
  const key = nodeKey(run, node)
  const name = node.title || node.type || node.id
  return el(
    'div',
    {
      class: `bar ${node.state}${selection === key ? ' selected' : ''}`,
      key,
      left: scale.xOf(from),
      width,
      title: `${name} (${node.id}) ${node.state}, ${timeText(to - from)}`,
    },
    isNamed && width > 46 && el('span', {}, name),
  )
}

function nodeRow(
  run: Run,
  node: RunNode,
  session: Session,
  scale: Scale,
  selection: string | null,
): HTMLElement {
  const key = nodeKey(run, node)
  const to = node.to ?? session.now
  const took = node.from === null ? '' : timeText(to - node.from)
  const label = [
    el('span', { class: 'title', title: `${node.title} (${node.id})` }, node.title || node.id),
    el('span', { class: 'dim' }, node.type === node.title ? '' : node.type),
    el('span', { class: 'took' }, took),
  ]
  const step = node.step === null ? '' : `step ${node.step[0]}/${node.step[1]}`
  const note =
    node.state === 'error'
      ? `✕ ${errorText(node)}${step && `, at ${step}`}`
      : node.state === 'interrupted'
        ? `interrupted${step && ` at ${step}`}`
        : node.state === 'running'
          ? `running ${step}`
          : ''
  return row(
    { class: 'node', key, label, height: 19, isSelected: selection === key },
    bar(run, node, session, scale, selection, false),
    note !== '' && words(scale, scale.xOf(node.from ?? to), scale.xOf(to), note, node.state),
  )
}

/** Nodes that took no time, by name. */
function chipRow(
  run: Run,
  nodes: readonly RunNode[],
  what: string,
  { xOf, width }: Scale,
  selection: string | null,
): HTMLElement {
  const name = what === 'cached' ? 'cached' : 'never'
  const at = (name === 'cached' ? run.from : run.to) ?? 0
  const length = nodes.reduce((sum, one) => sum + widthOf(one.title || one.id) + 6, 0)
  const x = xOf(at)
  const left = x + length <= width || x < length ? x : x - length
  const chips = nodes.map((node) => {
    const key = nodeKey(run, node)
    return el(
      'span',
      { class: `chip ${name}${selection === key ? ' selected' : ''}`, key },
      node.title || node.id,
    )
  })
  const label = [
    el('span', { class: 'title dim' }, what),
    el('span', { class: 'took' }, `${nodes.length}`),
  ]
  return row(
    { class: 'node chips', label, height: 21 },
    el('div', { class: 'chipline', left }, ...chips),
  )
}

/** The previews of a node that fit beside each other, the last one always. */
function filmstrip(
  run: Run,
  node: RunNode,
  scale: Scale,
  selection: string | null,
): readonly HTMLElement[] {
  const own = run.previews.filter((one) => one.node === node.id)
  const shown: Preview[] = []
  let nextX = Infinity
  for (const one of own.toReversed()) {
    const x = scale.xOf(one.at)
    if (x > nextX || !isVisible(scale, one.at, one.at)) continue
    shown.unshift(one)
    nextX = x - THUMB - 3
  }
  if (shown.length === 0) return []
  const thumbs = shown.map((one) => {
    const key = `p${one.key}`
    const step = own.indexOf(one) + 1
    return el(
      'div',
      {
        class: `thumb${selection === key ? ' selected' : ''}`,
        key,
        left: scale.xOf(one.at) - THUMB / 2,
      },
      image(one.key, `preview ${step} of ${own.length}`),
    )
  })
  const label = [
    el('span', { class: 'title dim' }, 'previews'),
    el('span', { class: 'took' }, `${own.length}`),
  ]
  return [row({ class: 'node film', label, height: THUMB + 8 }, ...thumbs)]
}
