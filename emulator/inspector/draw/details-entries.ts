// The details of what stands in one entry: a request, a message, a picture, or whatever else it is.

import type { Message } from '../model/clients.ts'
import {
  baseText,
  body,
  copyButton,
  facts,
  json,
  link,
  part,
  picture,
  title,
} from './detail-parts.ts'
import { type Child, el } from './dom.ts'
import { nameOf, toneOf } from './requests.ts'
import { explanationOf } from './explain.ts'
import type { Entry } from '../model/journal.ts'
import type { Request } from '../model/requests.ts'
import { clockText, timeText } from '../model/scale.ts'
import type { Actions, State } from '../model/state.ts'
import { membersOf, textOf } from '../../lib/loose.ts'

export function requestDetails(
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
    el(
      'p',
      { class: 'acts' },
      copyButton('as cURL', curlOf(request, baseText())),
      typeof reply?.['body'] === 'string' && copyButton('answer', reply['body']),
    ),
    ...explanationOf(entry, actions),
    part('Body', input['body'] !== '' && input['body'] !== undefined && body(input['body'])),
    part('Answer', reply && reply['body'] !== '' && body(reply['body'])),
    part('Stream', request.stream !== '' && json(request.stream)),
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

export function messageDetails(
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
      [
        'fault',
        message.faults.length > 0 &&
          el('span', {}, ...message.faults.map((id) => link(actions, `f:${id}`, id))),
      ],
      [how === 'received' ? 'from' : 'to', el('span', {}, ...to)],
    ),
    isPicture && picture(key),
    part('Data', json(data)),
    ...explanationOf(entry, actions),
  ]
}

export const pictureDetails = (key: string, entry: Entry, actions: Actions): readonly Child[] => [
  title('Preview'),
  facts(['at', clockText(entry.at)]),
  picture(key),
  ...explanationOf(entry, actions),
]

export const entryDetails = (entry: Entry, actions: Actions): readonly Child[] => [
  title(`Entry ${entry.n}`),
  facts(['at', clockText(entry.at)]),
  ...explanationOf(entry, actions),
  part('As the journal has it', json({ input: entry.input, effects: entry.effects })),
]

/** Headers that the command sets itself, or that only a browser sends. */
const ownHeaders = /^(host|connection|content-length|transfer-encoding|accept-encoding|sec-.*)$/i

/**
 * A request as a command for a terminal.
 * @param base the address of the server, without a slash at its end.
 */
function curlOf({ method, target, input }: Request, base: string): string {
  const headers = Object.entries(membersOf(input['headers'])).filter(
    ([name]) => !ownHeaders.test(name),
  )
  const body = textOf(input['body']) ?? ''
  const bytes = textOf(input['bodyBase64'])
  const words = [
    `curl ${quoted(base + target)}`,
    ...(method === 'HEAD' ? ['-I'] : method === 'GET' ? [] : [`-X ${quoted(method)}`]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`),
    ...(body === '' ? [] : [`--data-raw ${quoted(body)}`]),
    ...(bytes === null ? [] : ['--data-binary @-']),
  ]
  const command = words.join(' \\\n  ')
  return bytes === null ? command : `printf %s ${quoted(bytes)} | base64 -d | ${command}`
}

/** A word for a shell. */
const quoted = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
