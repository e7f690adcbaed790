// Runs that are over: history entries and their queries, by id on a local server, as history_v2 on the hosted one.

import {
  both,
  local,
  type Endpoints,
  type Rules,
  type Schema,
  chosen,
  stated,
  observedIn,
} from '../language.ts'
import { hostedError } from './errors.ts'
import { nodeOutput } from './files.ts'
import { hostedChange, queueItem } from './queue.ts'

/** Outputs by node id; each value holds lists such as `images`. */
export const outputs = {
  type: 'object',
  additionalProperties: nodeOutput,
} as const satisfies Schema

export const historyStatus = {
  type: 'object',
  properties: {
    status_str: { enum: ['success', 'error'] },
    completed: { type: 'boolean' },
    messages: {
      type: 'array',
      items: {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'object' }],
        minItems: 2,
        maxItems: 2,
      },
    },
  },
  required: ['status_str', 'completed', 'messages'],
} as const satisfies Schema

export const historyEntry = {
  type: 'object',
  properties: {
    prompt: queueItem,
    outputs,
    status: historyStatus,
    meta: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          node_id: { type: 'string' },
          display_node: { type: 'string' },
          parent_node: { type: ['string', 'null'] },
          real_node_id: { type: 'string' },
        },
        required: ['node_id', 'display_node', 'parent_node', 'real_node_id'],
      },
    },
  },
  required: ['prompt', 'outputs', 'status'],
} as const satisfies Schema

export const historyById = {
  type: 'object',
  additionalProperties: historyEntry,
} as const satisfies Schema

/** The run in a hosted history; the list omits the graph. */
const hostedPrompt = {
  type: 'object',
  properties: {
    priority: { type: 'number' },
    prompt_id: { type: 'string' },
    prompt: { type: 'object' },
    extra_data: { type: 'object' },
    outputs_to_execute: { type: 'array', items: { type: 'string' } },
  },
} as const satisfies Schema

export const hostedHistory = {
  type: 'object',
  properties: {
    history: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          prompt_id: { type: 'string', volatile: true },
          create_time: { type: 'integer', volatile: true },
          workflow_id: { type: 'string' },
          prompt: hostedPrompt,
          outputs: { type: 'object' },
          status: { type: 'object' },
          meta: { type: 'object' },
        },
        required: ['prompt_id'],
      },
    },
  },
  required: ['history'],
} as const satisfies Schema

export const hostedHistoryById = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      prompt: hostedPrompt,
      outputs: { type: 'object' },
      status: historyStatus,
      meta: { type: 'object' },
    },
  },
} as const satisfies Schema

const historyChange = {
  type: 'object',
  properties: {
    clear: { type: 'boolean' },
    delete: { type: 'array', items: { type: 'string' } },
  },
} as const satisfies Schema

export const endpoints = {
  readHistory: {
    method: 'GET',
    path: '/history',
    hostedPath: '/history_v2',
    on: both,
    does: 'Lists the runs that are over.',
    query: { max_items: { type: 'integer' }, offset: { type: 'integer' } },
    hostedQuery: {
      max_items: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
    hostedEmptyIsNone: true,
    replies: { 200: historyById, 500: 'text' },
    hostedReplies: { 200: hostedHistory, 400: hostedError },
  },
  readHistoryEntry: {
    method: 'GET',
    path: '/history/{prompt_id}',
    hostedPath: '/history_v2/{prompt_id}',
    on: both,
    does: 'Returns one run that is over.',
    replies: { 200: historyById },
    hostedReplies: { 200: hostedHistoryById, 404: hostedError },
  },
  changeHistory: {
    method: 'POST',
    path: '/history',
    on: both,
    does: 'Removes all runs that are over, or the named ones, from the history.',
    body: historyChange,
    hostedBody: hostedChange,
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: 'empty', 400: hostedError },
    acceptsInvalid: local,
  },
} as const satisfies Endpoints

const observed = observedIn('history')

export const rules = {
  'history/kept': stated.local(
    'The history contains every run that is over, with its outputs.',
    'A3',
  ),
  'history/by-id': stated.local(
    'The history, and one entry of it, is an object keyed by prompt_id.',
    'A48',
    'A73',
    'A74',
  ),
  'history/prompt': stated.local(
    'The prompt of an entry is an array that describes the run as the queue does.',
    'A49',
  ),
  'history/outputs': stated.local(
    'The outputs of an entry, keyed by node id, hold lists such as images.',
    'A50',
  ),
  'history/outputs-of-unreached': observed.before27(
    'An entry also has the cached outputs of nodes that its run did not reach.',
  ),
  'history/outputs-of-reached': {
    says: 'An entry has only the outputs of nodes that its run reached.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0 and 0.33.0, history',
    on: local,
    since: '0.27',
  },
  'history/outputs-in-order': {
    says: 'The outputs of an entry, and their meta, are in the order in which its run reached them.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0 and 0.33.0, history',
    on: local,
    since: '0.27',
  },
  'history/cached-needs-client': {
    says: 'The entry of a run without client_id lacks the outputs that were cached, and their meta.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, history',
    on: local,
    since: '0.27',
    before: '0.33',
  },
  'history/status-words': stated.local(
    'The status of an entry has a status_str, success or error, and a boolean completed.',
    'A51',
    'A52',
  ),
  'history/error-comes-first': stated.local(
    'The status_str of a failed run is error, for either value of completed.',
    'A53',
  ),
  'history/messages': stated.local(
    'The messages of an entry are pairs of a type and the data that the server sent.',
    'A54',
  ),
  'history/failed-not-completed': observed.local(
    'A failed or interrupted run has the status_str error and completed false.',
  ),
  'history/outputs-of-failed': observed.local(
    'A failed run keeps the outputs of the nodes that finished.',
  ),
  'history/meta': observed.local(
    'The meta of an entry holds node_id, display_node and parents for each output.',
  ),
  'history/only-finished': observed.local('A run has no history entry before it is over.'),
  'history/oldest-first': observed.local(
    'The history lists runs in the order in which they ended.',
  ),
  'history/max-items': observed.local(
    'max_items returns the last runs; with offset it counts from the oldest.',
  ),
  'history/bad-numbers': observed.local(
    'A max_items or offset that is not an integer returns 500.',
  ),
  'history/unknown': observed.local(
    'An unknown, pending or running run returns 200 with an empty object.',
  ),
  'history/clear': observed.local(
    'POST /history removes all runs with clear, and the named ones with delete.',
  ),
  'history/delete-unhashable': observed.local(
    'An array or object among the ids to delete returns 500, unless the history is empty.',
  ),
  'history/cap': observed.local('The history drops the oldest run when it holds more than 10,000.'),
  'history/hosted-list': observed.hosted(
    'The hosted history is an array of entries whose prompt is an object, newest first.',
  ),
  'history/hosted-two-ways': stated.hosted(
    'history_v2/<id> and jobs/<id> both return a run.',
    'A98',
  ),
  'history/hosted-list-entry': observed.hosted(
    'An entry of the hosted list has its create_time in ms, and no graph in its prompt.',
  ),
  'history/hosted-pages': observed.hosted(
    'max_items and offset page the hosted history from the newest; invalid ones return 400.',
  ),
  'history/hosted-by-id': observed.hosted(
    'history_v2/<id> is an object keyed by the id, whose prompt is an object with the graph.',
  ),
  'history/hosted-unknown': observed.hosted('history_v2/<id> of an unknown run returns 404.'),
  'history/hosted-once-begun': observed.hosted(
    'history_v2/<id> returns 404 until its run starts, and contains no outcome until it ends.',
  ),
  'history/hosted-clear': chosen.hosted(
    'A hosted POST /history removes entries from the history and keeps the jobs.',
  ),
  'history/hosted-closed-body': observed.hosted(
    'A hosted POST /history with another key, a wrong type or invalid JSON returns 400.',
  ),
} as const satisfies Rules
