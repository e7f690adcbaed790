// The details of what is selected: a request, a message, a picture, a fault, an event, or without a selection an overview.

import { clientsOf, gapsOf, type Message } from './clients.ts'
import { body, facts, json, link, part } from './detail-parts.ts'
import { nodeDetails, runDetails } from './details-runs.ts'
import { type Child, el } from './dom.ts'
import { outcomeOf } from './draw-events.ts'
import { nameOf, toneOf } from './draw-requests.ts'
import { explanationOf } from './explain.ts'
import { findingsOf } from './findings.ts'
import type { Entry, Value } from './journal.ts'
import type { Request } from './requests.ts'
import { clockText, timeText } from './scale.ts'
import type { Actions, State } from './state.ts'

export function details(state: State, actions: Actions): readonly Child[] {
  const { selection, session } = state
  if (selection === null) return overview(state, actions)
  const [kind, rest] = [selection[0], selection.slice(1)]
  if (kind === 'r' || kind === 'n') {
    const [, id = '', node] = /^.:(.*?)(?::([^:]*))?$/.exec(selection) ?? []
    const run = session.runs.find((one) => one.id === id || selection === `r:${one.id}`)
    if (run === undefined) return missing
    const own = kind === 'n' ? run.nodes.get(node ?? '') : undefined
    return own === undefined
      ? runDetails(run, state, actions)
      : nodeDetails(run, own, state, actions)
  }
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

const missing: readonly Child[] = ['The journal no longer has this.']

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
  const isEmpty = session.entries.length === 0
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
    ['Esc', 'this overview'],
  ]
  return [
    isEmpty &&
      part(
        'Nothing has happened yet',
        el('p', {}, 'Point a client at this server, or run an example:'),
        el('pre', {}, `npx flowdouble run WORKFLOW.json --url ${originText()}`),
      ),
    !session.isComplete &&
      el(
        'p',
        { class: 'note' },
        'Earlier entries are no longer kept. Start with --journal FILE to keep all.',
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

const originText = (): string => location.href.replace(/\/_flowdouble\/.*$/, '')

function requestDetails(
  request: Request,
  entry: Entry,
  state: State,
  actions: Actions,
): readonly Child[] {
  const { input, reply, status, at, endAt, faults } = request
  const { session } = state
  const run = session.runs.find((one) => one.entry === entry.n)
  return [
    title(nameOf(request, session), toneOf(request)),
    facts(
      ['at', clockText(at)],
      [
        'answer',
        status === null
          ? 'still waits'
          : status === 0
            ? 'connection reset'
            : `${status} after ${timeText((endAt ?? at) - at)}`,
      ],
      ['run', run && link(actions, `r:${run.id}`, `run ${run.number} (${run.id})`)],
      [
        'fault',
        faults.length > 0 && el('span', {}, ...faults.map((id) => link(actions, `f:${id}`, id))),
      ],
    ),
    ...explanationOf(entry, actions),
    part('Answer', reply && body(reply['body'])),
    part('Body', input['body'] !== '' && input['body'] !== undefined && body(input['body'])),
    part('Headers sent', headers(input['headers'])),
    part('Headers answered', reply && headers(reply['headers'])),
  ]
}

const headers = (given: unknown): HTMLElement =>
  facts(
    ...Object.entries((given ?? {}) as Record<string, unknown>).map(
      ([name, value]) => [name, String(value)] as const,
    ),
  )

export const title = (text: string, tone = ''): HTMLElement => el('h2', { class: tone }, text)

function messageDetails(
  message: Message,
  entry: Entry,
  state: State,
  actions: Actions,
): readonly Child[] {
  const { type, data, state: how, sockets, at, key, isFrame } = message
  const clients = state.session.clients.filter(({ connections }) =>
    connections.some(({ socket }) => sockets.includes(socket)),
  )
  const to = clients.map(({ name }) => link(actions, `c:${name}`, name))
  const words = {
    sent: 'sent',
    received: 'received from the client',
    lost: 'lost: a fault kept it from the client',
    part: 'sent in part',
  }
  const isPicture = isFrame && type !== 'text'
  return [
    title(type, how === 'lost' || how === 'part' ? 'bad' : ''),
    facts(
      ['at', clockText(at)],
      ['message', words[how]],
      [how === 'received' ? 'from' : 'to', el('span', {}, ...to)],
    ),
    isPicture && picture(key),
    part('Data', json(data)),
    ...explanationOf(entry, actions),
  ]
}

const picture = (key: string): HTMLElement =>
  el('img', { class: 'large', attributes: { src: `pictures/${key}`, alt: `picture ${key}` } })

const pictureDetails = (key: string, entry: Entry, actions: Actions): readonly Child[] => [
  title('Preview'),
  facts(['at', clockText(entry.at)]),
  picture(key),
  ...explanationOf(entry, actions),
]

const entryDetails = (entry: Entry, actions: Actions): readonly Child[] => [
  title(`Entry ${entry.n}`),
  facts(['at', clockText(entry.at)]),
  ...explanationOf(entry, actions),
  part('As the journal has it', json({ input: entry.input, effects: entry.effects })),
]

function clientDetails(name: string, { session }: State, actions: Actions): readonly Child[] {
  const client = session.clients.find((one) => one.name === name)
  if (client === undefined) return missing
  const counts = new Map<string, number>()
  for (const { type, state } of client.messages)
    if (state !== 'lost') counts.set(type, (counts.get(type) ?? 0) + 1)
  const lost = client.messages.filter(({ state }) => state === 'lost' || state === 'part')
  const gaps = gapsOf(client, session.runs, session.now)
  return [
    title(name),
    part(
      'Sockets',
      facts(
        ...client.connections.map(
          ({ socket, from, to, how, entry }) =>
            [
              `#${socket}`,
              el(
                'span',
                {},
                link(
                  actions,
                  `e${entry}`,
                  `${clockText(from)} to ${to === null ? 'now' : clockText(to)}`,
                ),
                how === null ? ' open' : ` ${how}`,
              ),
            ] as const,
        ),
      ),
    ),
    part(
      'Missed',
      ...lost.map((one) =>
        el(
          'p',
          {},
          link(actions, `m${one.key}`, `${one.type} at ${clockText(one.at)}`, 'bad'),
          ' by a fault',
        ),
      ),
      ...gaps.map(({ from, to, missed }) =>
        el(
          'p',
          { class: 'warn' },
          `${missed}, while away from ${clockText(from)} to ${clockText(to)}`,
        ),
      ),
    ),
    part('Received', facts(...[...counts].map(([type, count]) => [type, `${count}`] as const))),
  ]
}

function faultDetails(id: string, { session }: State, actions: Actions): readonly Child[] {
  const fault = session.faults.find((one) => one.id === id)
  const hits = session.hits.filter((one) => one.id === id)
  return [
    title(id),
    fault === undefined
      ? el('p', { class: 'dim' }, 'No longer in force.')
      : facts(['matched', `${fault.matched}`], ['applied', `${fault.applied}`]),
    fault && part('When', json(fault.fault.when)),
    fault && part('Then', json(fault.fault.then)),
    part(
      'Applied to',
      ...hits.map(({ entry, at }) =>
        el('p', {}, link(actions, `e${entry}`, `entry ${entry} at ${clockText(at)}`)),
      ),
    ),
    fault && el('button', { class: 'button', click: () => actions.removeFault(id) }, 'Remove'),
  ]
}

function eventDetails(id: string, { session }: State, actions: Actions): readonly Child[] {
  const event = session.events.find((one) => one.id === id)
  if (event === undefined) return missing
  const { outcome, tone } = outcomeOf(event)
  const run = event.run?.content
  return [
    title(`${event.route} ${event.event ?? ''}`, tone),
    facts(
      ['delivery id', event.id],
      ['outcome', outcome],
      ['post', link(actions, `e${event.entry}`, `entry ${event.entry} at ${clockText(event.at)}`)],
      [
        'agent',
        event.run &&
          `${clockText(event.run.from)} to ${event.run.to === null ? 'now' : clockText(event.run.to)}`,
      ],
    ),
    ...event.deliveries.map(({ target, attempt, entry, to, error, content }) =>
      part(
        `Delivery ${attempt} to ${target}`,
        facts(
          ['ended', to === null ? 'not yet' : link(actions, `e${entry}`, clockText(to))],
          ['error', error === null ? null : el('span', { class: 'bad' }, error)],
        ),
        json(String(content['text'] ?? '')),
      ),
    ),
    part('Prompt', run && json(String(run['prompt']))),
    part('Answer', run && typeof run['answer'] === 'string' && json(run['answer'])),
    part('Payload', run && body(run['payload'])),
  ]
}

export type { Value }
