// Faults: what goes wrong on purpose, when, and for whom. A fault is data; the machine applies it on the world's clock.

import type { Schema } from '../language.ts'
import type { Static } from '../static.ts'

const name = { type: 'string', minLength: 1 } as const
const count = { type: 'integer', minimum: 1 } as const
const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const
const bytes = { type: 'integer', minimum: 0 } as const

/** When a fault applies: all members must match. `path`, `message`, `socket` and `atMs` choose what is watched. */
export const faultWhen = {
  type: 'object',
  additionalProperties: false,
  properties: {
    method: { ...name, description: 'only requests with this method' },
    path: {
      ...name,
      description:
        'requests of this path, with or without /api; * stands for one segment, ** for any number',
    },
    socket: { const: 'open', description: 'WebSocket handshakes' },
    message: {
      ...name,
      description: 'socket messages of this type, or preview for binary preview frames',
    },
    data: {
      type: 'object',
      description: 'only messages whose data has these members, such as {"value": 3}',
    },
    node: { ...name, description: 'only messages about this node id' },
    atMs: { ...delay, description: 'once, at this time of the world, in milliseconds' },
    user: { ...name, description: 'only requests and sockets of this account (hosted)' },
    clientId: { ...name, description: 'only sockets with this clientId' },
    nth: {
      type: ['integer', 'array'],
      minimum: 1,
      minItems: 1,
      items: count,
      description: 'only this match, counted from 1, or these matches',
    },
    probability: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'the share of matches that it hits, drawn from the seed',
    },
  },
} as const satisfies Schema

/** What a fault does. Members for requests, for messages and for the whole server are not mixed, except `delayMs`. */
export const faultThen = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: {
      type: 'integer',
      minimum: 400,
      maximum: 599,
      description: 'answer with this status; the request has no other effect',
    },
    headers: { type: 'object', description: 'headers of that answer' },
    body: {
      type: ['string', 'object', 'array'],
      description: 'body of that answer: text, or a JSON value',
    },
    retryAfter: { type: 'integer', minimum: 0, description: 'the header Retry-After, in seconds' },
    delayMs: { ...delay, description: 'deliver the response or the message this much later' },
    reset: {
      type: ['boolean', 'object'],
      properties: { afterBytes: { ...bytes, description: 'bytes of the body that still arrive' } },
      additionalProperties: false,
      description: 'reset the TCP connection; a socket client sees code 1006',
    },
    truncate: {
      ...bytes,
      description: 'end the connection after this many bytes of the body, short of its length',
    },
    slow: {
      type: 'object',
      additionalProperties: false,
      required: ['parts', 'everyMs'],
      properties: {
        parts: { type: 'integer', minimum: 2, maximum: 10_000 },
        everyMs: { type: 'number', exclusiveMinimum: 0, maximum: 86_400_000 },
      },
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
      description: 'close the socket with this code, instead of the message',
    },
    silence: {
      const: true,
      description: 'keep the connection, but send nothing from now on, and answer no ping',
    },
    skip: { const: true, description: 'do not send the message' },
    repeat: { ...count, description: 'send the message this many times more' },
    swap: { const: true, description: 'send the message after the next one' },
    alter: {
      type: 'object',
      description: 'set these members of the data; null removes one',
    },
    short: { ...bytes, description: 'send only this many bytes of a preview frame' },
    cut: {
      ...bytes,
      description: 'send this many bytes of the WebSocket frame, then reset the connection',
    },
    restart: {
      const: true,
      description:
        'restart the server: local loses queue and history and keeps files; hosted loses only sockets',
    },
  },
} as const satisfies Schema

/** One fault. */
export const fault = {
  type: 'object',
  additionalProperties: false,
  required: ['when', 'then'],
  properties: {
    id: { ...name, description: 'a name by which the fault can be removed' },
    about: { ...name, description: 'a note for readers' },
    when: faultWhen,
    then: faultThen,
    times: { ...count, description: 'how many times it applies at most (default: always)' },
  },
} as const satisfies Schema

export type Fault = Static<typeof fault>
