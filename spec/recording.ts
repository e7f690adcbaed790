// Recordings: sessions as HAR 1.2 files, with the messages of sockets in the form that Chromium exports. What HAR has no place
// for stands in members named `_flowdouble`, so that each file opens in any HAR viewer.

import type { Place, Schema } from './language.ts'
import { anyObject, integer, list, name, number, oneOf, partial, text } from './schema.ts'

/** What a recording says about itself: `log._flowdouble`. A session that somebody's browser exported has none. */
export type RecordingInfo = {
  readonly version: 1
  /** Where the session comes from, in a few words: `ComfyUI 0.3.64`, `a world of flowdouble`. */
  readonly origin: string
  /** What the server is. */
  readonly place: Place
  /** The software and version that the server reports. */
  readonly software?: string
  /** The named server whose behaviour it shows. */
  readonly like?: string
  /** The seed of the world, if a world was recorded. */
  readonly seed?: string
  /** The rules that the session shows, by their ids. */
  readonly rules?: readonly string[]
  /** What `flowdouble check` did, if it played the session: its steps, which it can play again. */
  readonly steps?: readonly object[]
  /** When the session was last found equal to what its server answers, as `2026-11-23`. */
  readonly validated?: string
}

/** How a socket ended: `_flowdouble` of its entry. Absent if it was still open. */
export type RecordedClose = {
  readonly by: 'client' | 'server'
  readonly code: number
  readonly reason?: string
  /** In milliseconds since 1970. */
  readonly atMs: number
  /** How a fault ended it, if one did: the server saw its client leave. */
  readonly fault?: PlayedEnd
}

/** How a played fault ends a socket. */
export const playedEnds = ['close', 'reset', 'silence'] as const
export type PlayedEnd = (typeof playedEnds)[number]

/**
 * The faults that `record --scenario` played on an answer or a message of the server: `_flowdouble.fault` of its entry or of
 * the message, which are as the server sent them. The client got what the faults made of it.
 */
export type PlayedFault = {
  /** The faults by their ids. */
  readonly ids: readonly string[]
  /** What they did: members of `then`. */
  readonly did: readonly string[]
  /** The response, or that none came, is the fault's: the request has not reached the server. */
  readonly answers?: true
}

/** The bodies of an exchange that a recording lacks, because they were too large or the connection broke off. */
export const cutBodies = ['request', 'response'] as const
export type CutBody = (typeof cutBodies)[number]

/** The version that the first line of a recording in progress has, as `{"flowdouble": ..., "info": ...}`. */
export const partVersion = 'recording 1'

const time = { type: 'number', minimum: 0 } as const

/** The JSON Schema of `log._flowdouble`. */
export const recordingInfoSchema = {
  type: 'object',
  required: ['version', 'origin', 'place'],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    origin: { ...name, description: 'Where the session comes from.' },
    place: { enum: ['local', 'hosted', 'gateway'], description: 'What the server is.' },
    software: { ...name, description: 'The software and version that the server reports.' },
    like: { ...name, description: 'The named server whose behaviour it shows.' },
    seed: { ...text, description: 'The seed of the world that was recorded.' },
    rules: { ...list(name), description: 'The rules that the session shows.' },
    steps: {
      ...list(anyObject),
      description: 'The steps of a session that flowdouble check has played.',
    },
    validated: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: 'When the session was last found equal to what its server answers.',
    },
  },
} as const satisfies Schema

const header = {
  type: 'object',
  required: ['name', 'value'],
  properties: { name: text, value: text },
} as const

/** A body as text, or with `encoding` as base64. */
const encoding = oneOf('base64')

const fault = {
  type: 'object',
  required: ['ids', 'did'],
  description: 'the faults that a client met here; all else is as the server sent it',
  properties: {
    ids: list(name),
    did: list(name),
    answers: {
      const: true,
      description: 'the answer is of the fault, and the request has not reached the server',
    },
  },
} as const

const message = {
  type: 'object',
  required: ['type', 'time', 'opcode', 'data'],
  properties: {
    type: { enum: ['send', 'receive'], description: 'send: from the client; receive: to it' },
    time: { type: 'number', description: 'seconds since 1970, or milliseconds' },
    opcode: { type: 'integer', description: '1 for text; 2 for bytes, in base64' },
    data: text,
    _flowdouble: partial({ fault }),
  },
} as const

const entry = {
  type: 'object',
  required: ['startedDateTime', 'request', 'response'],
  properties: {
    startedDateTime: name,
    time: number,
    request: {
      type: 'object',
      required: ['method', 'url'],
      properties: {
        method: name,
        url: name,
        headers: list(header),
        postData: partial({ mimeType: text, text, encoding }),
      },
    },
    response: {
      type: 'object',
      required: ['status'],
      properties: {
        status: integer,
        headers: list(header),
        content: partial({ mimeType: text, text, encoding }),
      },
    },
    _webSocketMessages: list(message),
    _flowdouble: partial({
      cut: {
        ...list({ enum: cutBodies }),
        description: 'the bodies that are left out: too large, or broken off',
      },
      close: {
        type: 'object',
        required: ['by', 'code', 'atMs'],
        properties: {
          by: oneOf('client', 'server'),
          code: integer,
          reason: text,
          atMs: time,
          fault: { enum: playedEnds, description: 'how a fault ended the socket of the client' },
        },
      },
      fault,
    }),
  },
} as const

/** The JSON Schema of the parts of a HAR file that a recording is read from. */
export const harSchema = {
  type: 'object',
  required: ['log'],
  properties: {
    log: {
      type: 'object',
      required: ['entries'],
      properties: {
        version: text,
        entries: list(entry),
        _flowdouble: recordingInfoSchema,
      },
    },
  },
} as const satisfies Schema

/** The published JSON Schema of a recording. */
export const recordingSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'recording.schema.json',
  title: 'Recording of flowdouble',
  description:
    'HAR 1.2 with the messages of WebSockets. Members that are not named here are ignored.',
  ...harSchema,
} as const satisfies Schema
