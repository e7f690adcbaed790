// The queue: listing it, clearing it, removing runs from it, and interrupting the running one.

import {
  both,
  local,
  type Endpoints,
  type Rules,
  type Schema,
  stated,
  chosen,
  observedIn,
} from '../language.ts'
import { hostedError } from './errors.ts'
import {
  anyObject,
  boolean,
  integer,
  list,
  nullable,
  number,
  object,
  partial,
  positive,
  text,
  volatile,
} from '../schema.ts'
import { get, post } from '../endpoint.ts'

/** A run in the queue: priority, id, graph, extra data, ids of the output nodes. */
export const queueItem = {
  type: 'array',
  prefixItems: [
    volatile(number),
    volatile(text),
    anyObject,
    // An object, unless the client sent another value.
    {},
    list(text),
  ],
  minItems: 5,
  maxItems: 5,
} as const satisfies Schema

/** The same on the hosted server: position from 1, id, graph, ids of the output nodes, creation time. */
export const hostedQueueItem = {
  type: 'array',
  prefixItems: [
    positive,
    volatile(text),
    anyObject,
    list(text),
    object({ create_time: volatile(integer) }),
  ],
  minItems: 5,
  maxItems: 5,
} as const satisfies Schema

export const queueListing = object({
  queue_running: list(queueItem),
  queue_pending: list(queueItem),
})

export const hostedQueueListing = object({
  queue_running: list(hostedQueueItem),
  queue_pending: list(hostedQueueItem),
})

export const queueChange = partial({ clear: boolean, delete: list(text) })

/** The same on the hosted server, which accepts no other members. */
export const hostedChange = {
  type: 'object',
  properties: {
    clear: nullable(boolean),
    delete: nullable(list(text)),
  },
  additionalProperties: false,
} as const satisfies Schema

export const hostedQueueResult = object({ deleted: list(text), cleared: boolean })

export const endpoints = {
  readQueue: get('/queue', both, {
    does: 'Lists the running and the pending runs.',
    replies: { 200: queueListing },
    hostedReplies: { 200: hostedQueueListing },
  }),
  changeQueue: post('/queue', both, {
    does: 'Removes all pending runs, or the named ones.',
    body: queueChange,
    hostedBody: hostedChange,
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: {
      200: hostedQueueResult,
      400: hostedError,
    },
    acceptsInvalid: local,
  }),
  interrupt: post('/interrupt', both, {
    does: 'Cancels the running run; an optional body names the run to cancel.',
    body: partial({ prompt_id: text }),
    bodyIsOptional: true,
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: 'empty', 404: hostedError },
    acceptsInvalid: both,
  }),
} as const satisfies Endpoints

const observed = observedIn('queue')

export const rules = {
  ...stated.both({
    'queue/listing': 'GET /queue lists the runs in queue_running and queue_pending. [A7 A91]',
  }),
  ...observed.local({
    'queue/item': 'A listed run is number, prompt_id, workflow, extra_data and valid output nodes.',
    'queue/priority-collisions':
      'A submit with number and id of a pending run but another graph returns 500, yet it runs.',
  }),
  ...stated.both({
    'queue/clear': 'POST /queue with clear removes all pending runs. [A60 A92]',
    'queue/delete': 'POST /queue with delete removes the pending runs with those ids. [A61 A92]',
  }),
  ...observed.local({
    'queue/clear-and-delete': 'A body with clear and delete does both, clear first.',
  }),
  ...observed.both({
    'queue/running-is-spared':
      'Neither clear nor delete affects the running run, and unknown ids are ignored.',
  }),
  ...observed.local({
    'queue/removed-leaves-nothing':
      'A removed run leaves no history entry and sends no run message.',
    'queue/removal-status':
      'clear sends one status; delete sends one, or two for the only pending run.',
  }),
  ...stated.both({
    'queue/interrupt':
      'POST /interrupt ends the running run with execution_interrupted. [A8 A93 A135]',
  }),
  ...observed.both({
    'queue/idle-interrupt-is-lost':
      'An interrupt without a running run returns 200 and stops no later run.',
  }),
  ...observed.local({
    'queue/interrupt-named':
      'An interrupt that names a run stops only that run, and only while it is running.',
  }),
  ...stated.hosted({
    'queue/hosted-interrupt':
      'A hosted interrupt cancels the oldest running run of its account that is not yet stopping. [A93]',
  }),
  ...observed.hosted({
    'queue/hosted-interrupt-named':
      'A hosted interrupt that names a job cancels it, running or not; an unknown job returns 404.',
    'queue/hosted-interrupt-any-body':
      'A hosted interrupt that cannot be parsed is treated as one without a body.',
    'queue/hosted-item':
      'A hosted listed run is its position, prompt_id, workflow, output nodes and create_time.',
    'queue/hosted-result': 'A hosted POST /queue returns what it removed in deleted and cleared.',
    'queue/hosted-closed-body':
      'A hosted POST /queue with another key, a wrong type or invalid JSON returns 400.',
    'queue/hosted-removed-is-cancelled':
      'A run that is removed from the hosted queue becomes a cancelled job that never started.',
  }),
  ...chosen.local({
    'queue/by-number':
      'The server lists and executes runs by number, equal numbers in the order of their submits.',
  }),
  ...chosen.both({
    'queue/start-delay':
      'Each run waits a start delay of 25 ms from its submit, even in the place of a removed run.',
  }),
  ...chosen.local({
    'queue/bounded': 'A submit that takes the pending workflows beyond 512 MiB returns 413.',
  }),
  ...chosen.hosted({
    'queue/hosted-bounded':
      'A hosted submit that takes the pending workflows of its account beyond 512 MiB returns 429.',
  }),
} as const satisfies Rules
