// Faults: what goes wrong on purpose, when, and for whom. A fault is data; the machine applies it on the world's clock.

import { type Rules, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { delay } from './values.ts'
import {
  any,
  anyObject,
  closed,
  count,
  list,
  name,
  optional,
  options,
  positive,
  text,
} from '../schema.ts'

/** When a fault applies: all members must match. `path`, `message`, `socket` and `atMs` choose what is watched. */
export const faultWhen = options({
  method: {
    type: 'string',
    pattern: '^[A-Z]+$',
    description: 'only requests with this method; without it, all except OPTIONS',
  },
  path: {
    type: 'string',
    pattern: '^/[^?#]*$',
    description:
      'only requests of this path, with or without /api; * stands for one segment, ** for any number',
  },
  socket: { const: 'open', description: 'WebSocket handshakes' },
  message: {
    ...name,
    description:
      'socket messages of this type, preview for binary previews, or * for all; and the events of streams with this name (hosted API v2)',
  },
  data: {
    type: 'object',
    description:
      'only messages whose data has these members, such as {"value": 3}; a binary preview has the data of its progress',
  },
  node: { ...name, description: 'only messages about the node with this id' },
  atMs: { ...delay, description: 'once, at this time of the world, in milliseconds' },
  user: { ...name, description: 'only requests and sockets of this account (hosted)' },
  clientId: { ...name, description: 'only sockets that were opened with this clientId' },
  nth: {
    anyOf: [positive, { type: 'array', minItems: 1, items: positive }],
    description: 'only this match, counted from 1, or these matches',
  },
  probability: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'the share of matches that it hits, drawn from the seed',
  },
})

/** A message that the server sends although nothing caused it. */
const insertedMessage = closed({ type: name, data: anyObject })

/** The redirects that a fault can answer with. */
export const redirects = [301, 302, 303, 307, 308] as const

/** What a fault does. Members for responses, handshakes and messages are not mixed; see `effectsOf` for which belong where. */
export const faultThen = options({
  status: {
    anyOf: [{ enum: redirects }, { type: 'integer', minimum: 400, maximum: 599 }],
    description: 'answer with this status; the request has no other effect',
  },
  location: {
    anyOf: [text, { const: true }],
    description:
      'the header Location of a redirect: a path, a URL, or true for that of the request; by default the answer has none',
  },
  headers: { type: 'object', description: 'headers of that answer, each a text' },
  body: {
    anyOf: [text, anyObject, list(any)],
    description: 'body of that answer: text, or a JSON value; by default an error of the server',
  },
  retryAfter: { ...count, description: 'the header Retry-After of that answer, in seconds' },
  delayMs: { ...delay, description: 'everything that follows happens this much later' },
  reset: {
    anyOf: [
      { const: true },
      closed({ afterBytes: { ...count, description: 'bytes of the body that still arrive' } }),
    ],
    description: 'reset the TCP connection; a socket client sees code 1006',
  },
  truncate: {
    ...count,
    description: 'end the connection after this many bytes of the body, short of its length',
  },
  slow: {
    ...closed({
      parts: { type: 'integer', minimum: 2, maximum: 10_000 },
      everyMs: { type: 'number', exclusiveMinimum: 0, maximum: 86_400_000 },
    }),
    description: 'send the body in this many parts, one every so many milliseconds',
  },
  refuse: {
    type: 'integer',
    minimum: 400,
    maximum: 599,
    description: 'reject the handshake with this status',
  },
  close: {
    type: 'integer',
    minimum: 1000,
    maximum: 4999,
    description: 'close the socket with this code, or end the stream, instead of the message',
  },
  silence: {
    anyOf: [{ const: true }, closed({ forMs: delay })],
    description:
      'keep the connection, but send nothing from now on, and answer no ping; with forMs, send it all after that time',
  },
  skip: { const: true, description: 'do not send the message' },
  repeat: { ...positive, maximum: 1000, description: 'send the message this many times more' },
  swap: { const: true, description: 'send the message after the next one to its socket' },
  alter: {
    type: 'object',
    description: 'set these members of the data; null removes one',
  },
  insert: { ...insertedMessage, description: 'send this message before, known or not' },
  malformed: {
    const: true,
    description: 'send only the first half of the JSON, as if it were all',
  },
  short: { ...count, description: 'send only this many bytes of a preview' },
  cut: {
    ...count,
    description:
      'send this many bytes of the WebSocket frame, or of the event, then reset the connection',
  },
  restart: {
    anyOf: [{ const: true }, closed({ downMs: delay })],
    description:
      'restart the server: local loses queue and history and keeps files; hosted loses only sockets; with downMs, connections are refused for that time',
  },
  exit: {
    type: 'integer',
    minimum: 0,
    maximum: 255,
    description: 'end the server for good; the command serve ends with this exit code',
  },
})

/** One fault. */
export const fault = closed({
  id: optional({ ...name, description: 'a name by which the fault can be removed' }),
  about: optional({ ...name, description: 'a note for readers' }),
  when: faultWhen,
  then: faultThen,
  times: optional({
    ...positive,
    description: 'how many times it applies at most (default: always)',
  }),
})

export type Fault = Static<typeof fault>
export type FaultWhen = Fault['when']
export type FaultThen = Fault['then']

/** What a fault watches: requests, handshakes of sockets, messages on them, or the time. */
export type Watched = 'requests' | 'handshakes' | 'messages' | 'time'

/** The members of `when` that choose each of them; a fault without any watches requests. */
export const watchedBy = {
  handshakes: ['socket'],
  time: ['atMs'],
  messages: ['message', 'data', 'node'],
  requests: ['method', 'path'],
} as const satisfies Readonly<Record<Watched, readonly (keyof FaultWhen)[]>>

/** The members of `then` that have an effect on each of them. */
export const effectsOf = {
  requests: [
    'status',
    'headers',
    'body',
    'retryAfter',
    'location',
    'delayMs',
    'reset',
    'truncate',
    'slow',
    'restart',
    'exit',
  ],
  handshakes: [
    'refuse',
    'headers',
    'body',
    'retryAfter',
    'delayMs',
    'reset',
    'close',
    'silence',
    'restart',
    'exit',
  ],
  messages: [
    'delayMs',
    'reset',
    'close',
    'silence',
    'skip',
    'repeat',
    'swap',
    'alter',
    'insert',
    'malformed',
    'short',
    'cut',
    'restart',
    'exit',
  ],
  time: ['reset', 'close', 'silence', 'restart', 'exit'],
} as const satisfies Readonly<Record<Watched, readonly (keyof FaultThen)[]>>

/** Reason phrases of the statuses that faults answer with. */
export const reasons: Readonly<Record<number, string>> = {
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  425: 'Too Early',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
}

export const rules = {
  ...chosen.both({
    'faults/all-members':
      'A fault applies where all members of its `when` match; without any it watches every request.',
    'faults/path':
      'A fault finds a path with and without /api; `*` is one segment of it, `**` any number.',
    'faults/path-linear':
      'No pattern of a path takes longer than its length times that of the path.',
    'faults/ids': 'A fault without an id gets a number that no other fault has.',
    'faults/preflight':
      'A fault without a method does not match OPTIONS, so that preflights of pages still work.',
  }),
  ...chosen.hosted({
    'faults/user': 'A fault with a `user` matches only requests and sockets of that account.',
  }),
  ...chosen.both({
    'faults/nth':
      '`nth` counts the matches of its fault from 1; `times` limits how often the fault applies.',
    'faults/first':
      'The first fault that applies decides; a fault with only `delayMs` adds its delay to that.',
    'faults/probability':
      '`probability` is drawn from the seed: equal seeds and inputs hit the same matches.',
    'faults/status':
      'A fault answers with its status, headers and body, and the request has no other effect.',
  }),
  ...chosen.local({
    'faults/text-body':
      'On local, an answer of a fault without a body is a text: its status and reason.',
  }),
  ...chosen.hosted({
    'faults/hosted-body':
      'On hosted, an answer of a fault without a body is an error with `code` and `message`.',
  }),
  ...chosen.both({
    'faults/retry-after':
      '`retryAfter` is the header Retry-After of the answer of a fault, in seconds.',
    'faults/redirect':
      '`location` is the header Location of a redirect: a path, a URL, or the request once more.',
    'faults/delayed-response':
      'A delayed response is sent later on the clock of the world; its request acts when it arrives.',
    'faults/reset-response':
      '`reset` loses the response: the request has its effect, and its connection is reset.',
    'faults/reset-in-body':
      '`reset` with `afterBytes` resets the connection after that many bytes of the body.',
    'faults/truncate':
      '`truncate` ends the connection after so many bytes of the body, short of Content-Length.',
    'faults/slow':
      '`slow` sends a body in equal parts: the first immediately, then one every `everyMs`.',
    'faults/refuse':
      '`refuse` answers a WebSocket handshake with a status, like a rejected request.',
    'faults/handshake-close':
      '`close` at a handshake accepts the socket, and closes it before any message.',
    'faults/handshake-reset': '`reset` at a handshake resets the connection without an answer.',
    'faults/handshake-delay':
      'A delayed handshake is answered later; the socket opens at that time.',
    'faults/close':
      '`close` closes the sockets of a message with a code instead of sending it; runs continue.',
    'faults/reset-socket':
      '`reset` resets the connections of a message instead of sending it: clients see 1006.',
    'faults/silence':
      'A silent socket stays connected, but receives nothing any more, neither messages nor pongs.',
    'faults/skip':
      '`skip` does not send the message; the state of the server is the same as without the fault.',
    'faults/repeat': '`repeat` sends the message so many times more, directly after the first.',
    'faults/delayed-message':
      'Delayed messages keep their order on a socket; messages without a delay overtake them.',
    'faults/swap':
      '`swap` sends the message after the next one to its socket, also if that one is swapped.',
    'faults/alter':
      '`alter` sets members of the data of a message, and removes those that are null.',
    'faults/insert': '`insert` sends another message of any type and data before the message.',
    'faults/short': '`short` sends the first bytes of a preview as a complete WebSocket message.',
    'faults/cut':
      '`cut` sends so many bytes of the WebSocket frame of a message, then resets the connection.',
    'faults/malformed':
      '`malformed` sends the first half of the JSON of a message or an event, as if it were whole.',
    'faults/silence-for':
      'What is silent for a time keeps messages and comments back, and sends them after that in order.',
    'faults/client-id':
      'A fault with a `clientId` spares the other sockets that receive the same message.',
    'faults/preview':
      'A preview matches the `data` and `node` of the progress message of its step.',
    'faults/at-time':
      'A fault with `atMs` applies once, at that time of the world, to all sockets that match.',
    'faults/time-from-reset': '`atMs` counts from the start of the world, or from its last reset.',
  }),
  ...chosen.hosted({
    'faults/stream-events':
      'Faults of messages apply to the events of streams too, by the name and the data of an event.',
    'faults/stream-changes':
      'A fault skips, repeats, swaps, alters or shortens events like messages, or inserts others.',
    'faults/stream-delay':
      'A delayed event comes after those behind it; the end of its stream waits for it.',
    'faults/stream-silence':
      'A silent stream stays open, but has nothing any more, neither events nor comments nor an end.',
    'faults/stream-ends':
      '`reset` and `close` end a stream before an event, the one broken off, the other whole.',
    'faults/stream-cut':
      '`cut` ends a stream after so many bytes of an event, or behind a shorter one.',
    'faults/stream-at-time':
      'A fault with `atMs` and without a `clientId` ends or silences the open streams as well.',
  }),
  ...chosen.local({
    'faults/restart-local':
      'A restart of a local server loses queue, history, caches and temporary files, no others.',
  }),
  ...chosen.hosted({
    'faults/restart-hosted':
      'A restart of a hosted server loses its sockets; runs, jobs and files continue.',
  }),
  ...chosen.both({
    'faults/restart-down':
      'A restart with `downMs` refuses connections for that time; after it the server is there again.',
    'faults/restart-again':
      'Of several restarts the latest end counts; one without `downMs` does not bring a server back.',
    'faults/down-closed':
      'The port of a server that is down is closed; signed links stay where they are.',
    'faults/down-shared':
      'At a port with other worlds, or if its clock moves over HTTP, each connection is reset instead.',
    'faults/exit': '`exit` ends a server as a restart does, and refuses connections until a reset.',
    'faults/exit-command':
      '`serve` ends with the code of an `exit` in its first world, unless others are at its port.',
    'faults/restart-sockets':
      'A restart resets sockets (code 1006) and waiting requests, as if the process is killed.',
    'faults/journal':
      'Faults and their effects stand in the journal, and replay without a difference.',
  }),
  ...chosen.hosted({
    'faults/keys-hidden':
      'Keys in faults, rules and names of snapshots are placeholders in the journal, which replays.',
  }),
} as const satisfies Rules
