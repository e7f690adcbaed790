// The details of what is selected: a request, a message, a picture, a fault, an event, or without a selection an overview.

import { clientsOf, type Message } from '../model/clients.ts'
import { baseText, facts, json, link, missing, part } from './detail-parts.ts'
import { entryDetails, messageDetails, pictureDetails, requestDetails } from './details-entries.ts'
import { clientDetails, eventDetails, faultDetails } from './details-subjects.ts'
import { type Child, el } from './dom.ts'
import { endOf, errorText, findingsOf, nodeKey } from '../model/findings.ts'
import type { Entry } from '../model/journal.ts'
import type { Actions, State } from '../model/state.ts'
import { image } from './pictures.ts'
import type { Run, RunNode } from '../model/runs.ts'
import { storedKey } from '../model/stored.ts'
import { storedDetails } from './stored.ts'
import { clockText, timeText } from '../model/scale.ts'

export function details(state: State, actions: Actions): readonly Child[] {
  const { selection, session } = state
  if (selection === null) return overview(state, actions)
  const stored = storedKey(selection)
  if (stored !== undefined) return storedDetails(stored, state, actions)
  const [kind, rest] = [selection[0], selection.slice(1)]
  if (kind === 'r' || kind === 'n') return ofRun(selection, state, actions)
  if (kind === 'c') return clientDetails(rest.slice(1), state, actions)
  if (kind === 'f') return faultDetails(rest.slice(1), state, actions)
  if (kind === 'g') return eventDetails(rest.slice(1), state, actions)
  const [number, effect] = rest.split('.')
  const entry = session.entries.find(({ n }) => n === Number(number))
  if (entry === undefined) return missing
  if (kind === 'p') return pictureDetails(rest, entry, actions)
  const message = kind === 'm' ? messageAt(session.entries, rest) : undefined
  if (message !== undefined) return messageDetails(message, entry, state, actions)
  const request = session.requests.find((one) => one.entry === entry.n)
  return request === undefined || effect !== undefined
    ? entryDetails(entry, actions)
    : requestDetails(request, entry, state, actions)
}

/** The details of a run or a node. */
function ofRun(key: string, state: State, actions: Actions): readonly Child[] {
  for (const run of state.session.runs) {
    if (key === `r:${run.id}`) return runDetails(run, state, actions)
    for (const node of run.nodes.values())
      if (key === nodeKey(run, node)) return nodeDetails(run, node, state, actions)
  }
  return missing
}

/** The message with this key. */
const messageAt = (entries: readonly Entry[], key: string): Message | undefined =>
  clientsOf(entries)
    .flatMap(({ messages }) => messages)
    .find((one) => one.key === key)

function overview(state: State, actions: Actions): readonly Child[] {
  const { session } = state
  const found = findingsOf(session).map(({ key, text, tone }) =>
    el('li', {}, link(actions, key, text, tone)),
  )
  const { requests, clients, events } = session
  const isEmpty = requests.length + clients.length + events.length === 0
  const keys: readonly (readonly [string, string])[] = [
    ['n', 'to the next event'],
    ['a', 'advance by the time in the field'],
    ['i', 'until nothing is left to do'],
    ['← →', 'previous and next thing'],
    ['↑ ↓', 'the row above or below'],
    ['Enter', 'open or close a run'],
    ['+ − 0', 'zoom in, out, all'],
    ['f', 'add a fault'],
    ['s', 'save the recording'],
    ['t', 'timeline or table of requests'],
    ['/', 'search'],
    ['Esc', 'this overview'],
  ]
  return [
    isEmpty &&
      part(
        'Nothing has happened yet',
        el('p', {}, 'Point a client at this server, or run an example:'),
        el('pre', {}, `npx flowdouble run WORKFLOW.json --url ${baseText()}`),
      ),
    !session.isComplete &&
      el(
        'p',
        { class: 'note' },
        `Before entry ${session.first} the server keeps only open sockets, failed runs and refusals. Start it with --journal FILE to keep all, and open that file here.`,
      ),
    part(
      'What deserves a look',
      found.length === 0
        ? el('p', { class: 'dim' }, 'Nothing so far.')
        : el('ul', { class: 'found' }, ...found),
    ),
    part(
      'Colors',
      el('div', { class: 'legend' }, ...legend(bars, 'bar'), ...legend(ticks, 'message')),
    ),
    part(
      'Keys',
      el(
        'dl',
        { class: 'keys' },
        ...keys.flatMap(([key, text]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)]),
      ),
    ),
  ]
}

const bars = {
  success: 'done',
  cached: 'cached',
  error: 'failed',
  interrupted: 'interrupted',
  running: 'running',
}
const ticks = {
  end: 'begin or success',
  node: 'node',
  progress: 'progress',
  frame: 'preview',
  status: 'status',
  error: 'error',
  lost: 'missed',
}

const legend = (names: Readonly<Record<string, string>>, name: string): readonly Child[] =>
  Object.entries(names).map(([state, text]) =>
    el('span', {}, el('i', { class: `${name} ${state}` }), text),
  )

const toneOf = (state: string): string =>
  state === 'error' ? 'bad' : state === 'interrupted' ? 'warn' : ''

function runDetails(run: Run, { session: { now } }: State, actions: Actions): readonly Child[] {
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

function nodeDetails(
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
