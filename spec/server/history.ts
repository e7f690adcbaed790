// Runs that are over: history entries and their queries, by id on a local server, as history_v2 on the hosted one.

import {
  both,
  local,
  type Endpoints,
  type Rules,
  chosen,
  stated,
  observedIn,
  observedAt,
} from '../language.ts'
import { hostedError } from './errors.ts'
import { nodeOutput } from './files.ts'
import { hostedChange, queueItem } from './queue.ts'
import {
  anyObject,
  boolean,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  partial,
  record,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { get, post } from '../endpoint.ts'

/** Outputs by node id; each value holds lists such as `images`. */
export const outputs = record(nodeOutput)

export const historyStatus = object({
  status_str: oneOf('success', 'error'),
  completed: boolean,
  messages: list({ type: 'array', prefixItems: [text, anyObject], minItems: 2, maxItems: 2 }),
})

export const historyEntry = object({
  prompt: queueItem,
  outputs,
  status: historyStatus,
  meta: optional(
    record(
      object({ node_id: text, display_node: text, parent_node: textOrNull, real_node_id: text }),
    ),
  ),
})

export const historyById = record(historyEntry)

/** The run in a hosted history; the list omits the graph. */
const hostedPrompt = partial({
  priority: number,
  prompt_id: text,
  prompt: anyObject,
  extra_data: anyObject,
  outputs_to_execute: list(text),
})

export const hostedHistory = object({
  history: list(
    object({
      prompt_id: volatile(text),
      create_time: optional(volatile(integer)),
      workflow_id: optional(text),
      prompt: optional(hostedPrompt),
      outputs: optional(anyObject),
      status: optional(anyObject),
      meta: optional(anyObject),
    }),
  ),
})

export const hostedHistoryById = record(
  partial({ prompt: hostedPrompt, outputs: anyObject, status: historyStatus, meta: anyObject }),
)

const historyChange = partial({ clear: boolean, delete: list(text) })

export const endpoints = {
  readHistory: get('/history', both, {
    hostedPath: '/history_v2',
    does: 'Lists the runs that are over.',
    query: { max_items: integer, offset: integer },
    hostedQuery: {
      max_items: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
    hostedEmptyIsNone: true,
    replies: { 200: historyById, 500: 'text' },
    hostedReplies: { 200: hostedHistory, 400: hostedError },
  }),
  readHistoryEntry: get('/history/{prompt_id}', both, {
    hostedPath: '/history_v2/{prompt_id}',
    does: 'Returns one run that is over.',
    replies: { 200: historyById },
    hostedReplies: { 200: hostedHistoryById, 404: hostedError },
  }),
  changeHistory: post('/history', both, {
    does: 'Removes all runs that are over, or the named ones, from the history.',
    body: historyChange,
    hostedBody: hostedChange,
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: 'empty', 400: hostedError },
    acceptsInvalid: local,
  }),
} as const satisfies Endpoints

const observed = observedIn('history')

export const rules = {
  ...stated.local({
    'history/kept': 'The history contains every run that is over, with its outputs. [A3]',
    'history/by-id':
      'The history, and one entry of it, is an object keyed by prompt_id. [A48 A73 A74]',
    'history/prompt':
      'The prompt of an entry is an array that describes the run as the queue does. [A49]',
    'history/outputs':
      'The outputs of an entry, keyed by node id, hold lists such as images. [A50]',
  }),
  ...observed.before27({
    'history/outputs-of-unreached':
      'An entry also has the cached outputs of nodes that its run did not reach.',
  }),
  ...observedAt('ComfyUI 0.27.0 and 0.33.0, history', { since: '0.27' }).local({
    'history/outputs-of-reached': 'An entry has only the outputs of nodes that its run reached.',
    'history/outputs-in-order':
      'The outputs of an entry, and their meta, are in the order in which its run reached them.',
  }),
  ...observedAt('ComfyUI 0.27.0, history', { since: '0.27', before: '0.33' }).local({
    'history/cached-needs-client':
      'The entry of a run without client_id lacks the outputs that were cached, and their meta.',
  }),
  ...stated.local({
    'history/status-words':
      'The status of an entry has a status_str, success or error, and a boolean completed. [A51 A52]',
    'history/error-comes-first':
      'The status_str of a failed run is error, for either value of completed. [A53]',
    'history/messages':
      'The messages of an entry are pairs of a type and the data that the server sent. [A54]',
  }),
  ...observed.local({
    'history/failed-not-completed':
      'A failed or interrupted run has the status_str error and completed false.',
    'history/outputs-of-failed': 'A failed run keeps the outputs of the nodes that finished.',
    'history/meta': 'The meta of an entry holds node_id, display_node and parents for each output.',
    'history/only-finished': 'A run has no history entry before it is over.',
    'history/oldest-first': 'The history lists runs in the order in which they ended.',
    'history/max-items': 'max_items returns the last runs; with offset it counts from the oldest.',
    'history/bad-numbers': 'A max_items or offset that is not an integer returns 500.',
    'history/unknown': 'An unknown, pending or running run returns 200 with an empty object.',
    'history/clear': 'POST /history removes all runs with clear, and the named ones with delete.',
    'history/delete-unhashable':
      'An array or object among the ids to delete returns 500, unless the history is empty.',
    'history/cap': 'The history drops the oldest run when it holds more than 10,000.',
  }),
  ...observed.hosted({
    'history/hosted-list':
      'The hosted history is an array of entries whose prompt is an object, newest first.',
  }),
  ...stated.hosted({
    'history/hosted-two-ways': 'history_v2/<id> and jobs/<id> both return a run. [A98]',
  }),
  ...observed.hosted({
    'history/hosted-list-entry':
      'An entry of the hosted list has its create_time in ms, and no graph in its prompt.',
    'history/hosted-pages':
      'max_items and offset page the hosted history from the newest; invalid ones return 400.',
    'history/hosted-by-id':
      'history_v2/<id> is an object keyed by the id, whose prompt is an object with the graph.',
    'history/hosted-unknown': 'history_v2/<id> of an unknown run returns 404.',
    'history/hosted-once-begun':
      'history_v2/<id> returns 404 until its run starts, and contains no outcome until it ends.',
    'history/hosted-closed-body':
      'A hosted POST /history with another key, a wrong type or invalid JSON returns 400.',
  }),
  ...chosen.hosted({
    'history/hosted-clear':
      'A hosted POST /history removes entries from the history and keeps the jobs.',
  }),
} as const satisfies Rules
