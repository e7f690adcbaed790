// The details of what is selected: a request, a message, a picture, a fault, an event, or without a selection an overview.

import { clientsOf, type Message } from '../model/clients.ts'
import { baseText, link, missing, part } from './detail-parts.ts'
import { entryDetails, messageDetails, pictureDetails, requestDetails } from './details-entries.ts'
import { nodeDetails, runDetails } from './details-runs.ts'
import { clientDetails, eventDetails, faultDetails } from './details-subjects.ts'
import { type Child, el } from './dom.ts'
import { findingsOf, nodeKey } from '../model/findings.ts'
import type { Entry } from '../model/journal.ts'
import type { Actions, State } from '../model/state.ts'

export function details(state: State, actions: Actions): readonly Child[] {
  const { selection, session } = state
  if (selection === null) return overview(state, actions)
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
