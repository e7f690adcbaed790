// The details of a run and of a node: how long each part took, why it failed, and what it was given and returned.

import { facts, json, link, part } from './detail-parts.ts'
import { type Child, el } from './dom.ts'
import { image } from './pictures.ts'
import { endOf, errorText, nodeKey } from '../model/findings.ts'
import type { Run, RunNode } from '../model/runs.ts'
import { clockText, timeText } from '../model/scale.ts'
import type { Actions, State } from '../model/state.ts'

const toneOf = (state: string): string =>
  state === 'error' ? 'bad' : state === 'interrupted' ? 'warn' : ''

export function runDetails(
  run: Run,
  { session: { now } }: State,
  actions: Actions,
): readonly Child[] {
  const { submittedAt, from, to, state, entry, endEntry } = run
  const node = endOf(run)
  const nodes = [...run.nodes.values()].filter((one) => one.from !== null)
  const rows = nodes.map((one) =>
    el(
      'tr',
      {},
      el('td', {}, link(actions, nodeKey(run, one), one.title || one.id)),
      el('td', { class: toneOf(one.state) }, one.state === 'success' ? 'done' : one.state),
      el(
        'td',
        { class: 'number' },
        one.state === 'cached' ? '' : timeText((one.to ?? now) - (one.from ?? now)),
      ),
    ),
  )
  return [
    el('h2', { class: toneOf(state) }, `Run ${run.number} ${state === 'success' ? 'done' : state}`),
    facts(
      ['id', run.id],
      ['client', run.client && link(actions, `c:${run.client}`, run.client)],
      ['submitted', submittedAt !== null && link(actions, `e${entry}`, clockText(submittedAt))],
      ['queued', submittedAt !== null && timeText((from ?? to ?? now) - submittedAt)],
      ['ran', from !== null && timeText((to ?? now) - from)],
      ['ended', to !== null && link(actions, `e${endEntry}`, clockText(to))],
      ['why', node?.state === 'error' && el('span', { class: 'bad' }, errorText(node))],
    ),
    el(
      'p',
      { class: 'acts' },
      el(
        'button',
        { class: 'button', click: () => actions.filter({ run: run.id }) },
        'Only this run',
      ),
    ),
    part('Nodes', rows.length > 0 && el('table', {}, el('tbody', {}, ...rows))),
    part(
      'Previews',
      ...run.previews.slice(-1).map(({ key }) => image(key, 'the last preview', 'large')),
    ),
  ]
}

export function nodeDetails(
  run: Run,
  node: RunNode,
  { session: { now } }: State,
  actions: Actions,
): readonly Child[] {
  const { from, to, state, error, step } = node
  const preview = run.previews.findLast((one) => one.node === node.id)
  const traceback = error?.['traceback']
  return [
    el(
      'h2',
      { class: toneOf(state) },
      `${node.title || node.id} ${state === 'success' ? 'done' : state === 'error' ? 'failed' : state}`,
    ),
    facts(
      ['node', `${node.id} ${node.type}`],
      ['run', link(actions, `r:${run.id}`, `run ${run.number}`)],
      ['from', from !== null && link(actions, `e${node.entry}`, clockText(from))],
      ['to', to !== null && link(actions, `e${node.endEntry}`, clockText(to))],
      ['took', from !== null && timeText((to ?? now) - from)],
      ['step', step && `${step[0]} of ${step[1]}`],
      ['why', state === 'error' && el('span', { class: 'bad' }, errorText(node))],
    ),
    preview && image(preview.key, 'the last preview', 'large'),
    part('Inputs', Object.keys(node.inputs).length > 0 && json(node.inputs)),
    part('Output', node.output !== null && json(node.output)),
    part('Traceback', Array.isArray(traceback) && json(traceback.join(''))),
    part(
      'Inputs when it failed',
      error?.['current_inputs'] !== undefined && json(error['current_inputs']),
    ),
  ]
}
