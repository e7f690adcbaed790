// The JSON messages of the socket: the data of each type and who receives it. Their order is in order.ts.

import {
  both,
  hosted,
  local,
  type Endpoints,
  type Message,
  type Messages,
  type Rules,
  type Schema,
  stated,
  chosen,
  observedIn,
  rulesOf,
  observedAt,
} from '../language.ts'
import { downloadProgress, exportProgress } from '../assets/tasks.ts'
import { exceptionTypes, hostedError } from './errors.ts'
import { nodeOutput } from './files.ts'
import { nodeErrorsById } from './workflows.ts'
import {
  any,
  anyObject,
  anyOf,
  boolean,
  count,
  integer,
  list,
  nothing,
  number,
  object,
  oneOf,
  optional,
  partial,
  positive,
  record,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { get } from '../endpoint.ts'

const id = text
const ids = list(text)
const objectOrArray = anyOf(anyObject, list(any))
const timestamp = volatile(count)
/** The members that every message about a run has. */
const runAndTime = object({ prompt_id: id, timestamp })
const amount = { type: 'number', minimum: 0 } as const
/** The folders that a scan for assets reads. */
const roots = list(oneOf('models', 'input', 'output'))

/** The state of one node in a `progress_state` message. */
export const nodeProgress = object({
  value: amount,
  max: amount,
  state: oneOf('pending', 'running', 'finished', 'error'),
  node_id: id,
  prompt_id: id,
  display_node_id: id,
  parent_node_id: textOrNull,
  real_node_id: id,
})

/** The same on the hosted server, which adds the type of the node. */
export const hostedNodeProgress = {
  ...nodeProgress,
  properties: { ...nodeProgress.properties, class_type: text },
} as const satisfies Schema

const sharedFlags = {
  supports_preview_metadata: boolean,
  max_upload_size: number,
} as const

/** The flags that client and server send each other. Those of servers since 2026 are among them. */
export const featureFlags = partial({
  ...sharedFlags,
  supports_model_type_tags: boolean,
  extension: anyObject,
  node_replacements: boolean,
  assets: boolean,
})

/** The feature flags of the hosted server; the last two concern the requesting account and need its key. */
export const hostedFeatures = partial({
  ...sharedFlags,
  max_concurrent_jobs: positive,
  can_run_partner_nodes: boolean,
})

/** A line of the server's log: when it was written, as ISO text, and its text. */
export const logEntry = object({ t: volatile(text), m: text })

/** Columns and rows of the server's terminal. */
export const terminalSize = object({ cols: integer, rows: integer })

/** The data of `execution_error`, with schemas of the input types and values of the failed node. */
const errorData = <Type extends Schema, Values extends Schema>(
  exception_type: Type,
  values: Values,
) =>
  object({
    prompt_id: id,
    node_id: id,
    node_type: text,
    executed: ids,
    exception_message: text,
    exception_type,
    traceback: volatile(list(text)),
    current_inputs: values,
    current_outputs: values,
    /** Of a ValidationError alone [runs/validation-details]. */
    node_errors: optional(nodeErrorsById),
    timestamp: optional(timestamp),
  })

const message = <On extends Message['on'], Data extends Pick<Message, 'data' | 'hostedData'>>(
  on: On,
  when: string,
  data: Data,
) => ({ on, when, ...data })

export const messages = {
  status: message(both, 'The queue changes; also the first message on each connection.', {
    data: object({
      status: object({ exec_info: object({ queue_remaining: count }) }),
      sid: optional(id),
    }),
  }),
  feature_flags: message(both, 'The client sends its own feature flags as its first message.', {
    data: featureFlags,
    hostedData: hostedFeatures,
  }),
  notification: message(both, 'The server has a text for people to read.', {
    data: object({ value: text }),
    hostedData: object({ value: text, prompt_id: id }),
  }),
  logs: message(local, 'The log of the server has new lines.', {
    data: object({ entries: list(logEntry), size: anyOf(terminalSize, nothing) }),
  }),
  'assets.seed.started': message(local, 'A scan for assets, or its second phase, begins.', {
    data: object({ roots, total: optional(amount), phase: oneOf('fast', 'enrich') }),
  }),
  'assets.seed.fast_complete': message(local, 'A scan for assets has found all files.', {
    data: object({ roots, created: amount, skipped: amount, total: amount }),
  }),
  'assets.seed.progress': message(local, 'A scan for assets has taken another second.', {
    data: object({
      phase: oneOf('fast', 'enrich'),
      scanned: optional(amount),
      total: optional(amount),
      created: optional(amount),
      enriched: optional(amount),
    }),
  }),
  'assets.seed.paused': message(local, 'A scan for assets waits for the end of a run.', {
    data: partial({}),
  }),
  'assets.seed.resumed': message(local, 'A scan for assets goes on after a run.', {
    data: partial({}),
  }),
  'assets.seed.enrich_complete': message(local, 'A scan for assets has read the files.', {
    data: object({ roots, enriched: amount }),
  }),
  'assets.seed.completed': message(local, 'A scan for assets is over.', {
    data: object({
      phase: oneOf('full', 'fast', 'enrich'),
      total: amount,
      created: amount,
      enriched: amount,
      skipped: amount,
      elapsed: { type: 'number', minimum: 0, volatile: true },
    }),
  }),
  'assets.seed.cancelled': message(local, 'A client has cancelled a scan for assets.', {
    data: object({ scanned: amount, total: amount, created: amount }),
  }),
  'assets.seed.error': message(local, 'A scan for assets has failed.', {
    data: object({ message: text }),
  }),
  asset_download: message(hosted, 'A download of an asset goes on, or is over.', {
    data: downloadProgress,
  }),
  asset_export: message(hosted, 'An export of assets goes on, or is over.', {
    data: exportProgress,
  }),
  execution_start: message(both, 'A run starts.', { data: runAndTime }),
  execution_cached: message(
    both,
    'A run starts: the nodes whose results are cached and that do not run.',
    { data: object({ nodes: ids, prompt_id: id, timestamp }) },
  ),
  executing: message(both, 'A node starts; on a local server, with node null, the run is over.', {
    data: object({ node: textOrNull, display_node: optional(id), prompt_id: optional(id) }),
    hostedData: object({ node: textOrNull, display_node: optional(id), prompt_id: id }),
  }),
  progress_state: message(both, 'The progress of a node changes: all nodes of the run so far.', {
    data: object({ prompt_id: id, nodes: record(nodeProgress) }),
    hostedData: object({ prompt_id: id, nodes: record(hostedNodeProgress) }),
  }),
  progress: message(both, 'A node has completed a step.', {
    data: object({ value: amount, max: amount, prompt_id: id, node: id }),
  }),
  executed: message(both, 'The output of a node is ready.', {
    data: object({
      node: id,
      display_node: optional(id),
      output: anyOf(nodeOutput, nothing),
      prompt_id: id,
    }),
  }),
  execution_success: message(both, 'A run has succeeded.', { data: runAndTime }),
  execution_error: message(both, 'A run has failed.', {
    data: errorData(text, objectOrArray),
    hostedData: errorData({ enum: Object.keys(exceptionTypes) }, anyObject),
  }),
  execution_interrupted: message(both, 'A run has been cancelled.', {
    data: object({
      prompt_id: id,
      node_id: optional(id),
      node_type: optional(text),
      executed: optional(ids),
      timestamp,
    }),
  }),
} as const satisfies Messages

export type MessageType = keyof typeof messages

/** Who receives a type on a local server; `own` is the socket whose id is the `client_id` of the run. */
export type Receivers = 'everyone' | 'own' | 'own-or-everyone' | 'asking-socket' | 'subscriber'

/** On a local server. `own-or-everyone`: everyone if the run has no `client_id`. Previews go where `progress` goes. */
export const receivers = {
  status: 'everyone',
  feature_flags: 'asking-socket',
  notification: 'own',
  logs: 'subscriber',
  'assets.seed.started': 'everyone',
  'assets.seed.fast_complete': 'everyone',
  'assets.seed.progress': 'everyone',
  'assets.seed.paused': 'everyone',
  'assets.seed.resumed': 'everyone',
  'assets.seed.enrich_complete': 'everyone',
  'assets.seed.completed': 'everyone',
  'assets.seed.cancelled': 'everyone',
  'assets.seed.error': 'everyone',
  asset_download: 'everyone',
  asset_export: 'everyone',
  execution_start: 'own',
  execution_cached: 'own',
  executing: 'own',
  progress_state: 'own-or-everyone',
  progress: 'own-or-everyone',
  executed: 'own',
  execution_success: 'own',
  execution_error: 'own',
  execution_interrupted: 'own-or-everyone',
} as const satisfies Record<MessageType, Receivers>

export const endpoints = {
  socket: get('/ws', both, {
    does: 'Opens the socket: messages and frames of the runs.',
    query: { clientId: text, token: text },
    replies: { 101: 'empty', 400: 'text', 403: 'empty' },
    hostedReplies: {
      101: 'empty',
      400: hostedError,
    },
  }),
} as const satisfies Endpoints

const observed = observedIn('socket')

export const rules = {
  ...stated.both({
    'messages/json-text':
      'A message is a JSON object with type and data, in a text frame. [A2 A118]',
    'messages/order': 'The messages of a run follow the order table. [A134]',
  }),
  ...observed.both({ 'messages/type-first': 'The first key of a message is type.' }),
  ...stated.both({
    'messages/status':
      'A queue change sends status with the number of pending and running runs. [A119]',
  }),
  ...observed.both({
    'messages/status-on-connect':
      'The first message on a socket is a status that contains its sid.',
  }),
  ...observed.local({
    'messages/sid': 'The sid is the clientId of the socket, or 32 hex digits without a clientId.',
  }),
  ...observed.both({
    'messages/status-of-a-run':
      'A run sends status when it is queued, when it starts and when it is over.',
  }),
  ...stated.hosted({
    'messages/notification': 'A run sends a notification with a text after its start. [A120]',
  }),
  ...stated.both({
    'messages/execution-start':
      'A run starts with execution_start, which contains its prompt_id. [A121]',
    'messages/execution-cached':
      'execution_cached lists the cached nodes, and is sent even with an empty list. [A127]',
    'messages/executing': 'A node that starts sends executing with node and prompt_id. [A122]',
  }),
  ...stated.local({
    'messages/executing-null': 'A run ends with executing whose node is null. [A123]',
  }),
  ...observed.local({
    'messages/executing-null-last':
      'executing with node null comes after the last status, when the history is readable.',
  }),
  ...stated.hosted({
    'messages/hosted-no-executing-null': 'No executing with node null ends a hosted run. [A123]',
  }),
  ...rulesOf({ basis: 'stated', before: '0.27' }).both({
    'messages/progress': 'A sampler sends progress for each step, with node, value and max. [A124]',
  }),
  ...observedAt('ComfyUI 0.27.0, WebSocket', { since: '0.27' }).local({
    'messages/progress-throttled':
      'A step sends progress if it is the first, the last, has a preview, or follows after 100 ms.',
    'messages/progress-share':
      'Steps that send progress without a preview are at least half a percent of all steps apart.',
  }),
  ...stated.both({
    'messages/progress-state':
      'progress_state contains the progress of each node so far in nodes. [A125]',
    'messages/executed':
      'A node with an output to display sends executed with node and output. [A126]',
  }),
  ...observed.both({
    'messages/executed-cached':
      'A cached output node sends executed with its stored output, or null, and no executing.',
  }),
  ...stated.both({
    'messages/success': 'A successful run sends execution_success with its prompt_id. [A68 A128]',
    'messages/error':
      'A failed run sends execution_error with type, message, traceback and node_id. [A67 A129]',
  }),
  ...observed.both({
    'messages/error-details':
      'execution_error and execution_interrupted also contain node_type and executed.',
  }),
  ...observed.local({
    'messages/error-inputs':
      'current_inputs holds each input of the failing node as the list of its items.',
    'messages/error-inputs-order': 'current_inputs keeps the order of the inputs in the workflow.',
    'messages/error-hidden-inputs':
      'current_inputs of an old-style type also holds its hidden inputs, with credentials as null.',
  }),
  ...stated.both({
    'messages/interrupted':
      'A cancelled run sends execution_interrupted with its prompt_id. [A66 A130]',
  }),
  ...stated.hosted({
    'messages/hosted-early-cancel':
      'A run that is cancelled before it starts sends execution_interrupted. [A66]',
  }),
  ...observed.both({
    'messages/timestamps': 'The execution_ messages contain the time in milliseconds as timestamp.',
  }),
  ...stated.local({
    'messages/own-client':
      'The messages of a run go only to the socket with the client_id of its submit. [A29 A131]',
  }),
  ...observed.local({
    'messages/any-client-id': 'A client_id can be any text, not only a UUID.',
    'messages/status-to-everyone': 'status goes to every socket.',
    'messages/no-client':
      "Without client_id everyone gets a run's progress, previews and interruption, nobody the rest.",
  }),
  ...stated.local({
    'messages/newest-socket':
      'Of several sockets with one clientId the newest receives, even after others close. [A131]',
  }),
  ...observed.local({
    'messages/older-socket':
      'Of several sockets with one clientId the older ones receive nothing, not even status.',
    'messages/reconnect':
      'A socket that reconnects during its run receives executing with the current node.',
  }),
  ...observed.both({
    'messages/disconnect': 'A run continues when its socket closes.',
    'messages/feature-flags':
      'The server answers feature_flags as the first message with its own feature flags.',
    'messages/client-messages':
      'The server ignores any other client message, and feature_flags after it.',
    'messages/no-handshake': 'GET /ws without a WebSocket handshake returns 400.',
  }),
  ...observedAt('ComfyUI 0.3.64, socket', { library: 'aiohttp' }).local({
    'messages/refused-handshake':
      'After a refused handshake the connection serves further requests.',
    'messages/handshake-connection':
      'A handshake whose Connection header does not ask for an upgrade returns 400.',
  }),
  ...observed.local({
    'messages/handshake-headers':
      'The handshake reply also contains Date and Server, and selects no subprotocol.',
    'messages/too-large': 'A client message above 4 MiB closes its socket with 1009.',
    'messages/malformed': 'Invalid UTF-8 closes its socket with 1007, a malformed frame with 1002.',
    'messages/pings-and-closes':
      'The server answers a ping with a pong, and a close with 1000 whatever its code.',
  }),
  ...stated.hosted({
    'messages/hosted-all-connections':
      'Every connection of a hosted account receives all messages of that account. [A30 A132]',
  }),
  ...observed.hosted({
    'messages/hosted-status':
      'A hosted status counts the runs of the account and goes only to that account.',
    'messages/hosted-one-notification':
      'A hosted run sends one notification, right after execution_start.',
    'messages/hosted-node-types':
      'The nodes of a hosted progress_state also contain their class_type.',
  }),
  ...stated.hosted({
    'messages/hosted-names-run': 'Every hosted message about a run contains its prompt_id. [A133]',
  }),
  ...chosen.local({
    'messages/local-notification':
      'A local run sends a notification only when a test node requests it.',
    'messages/slow-reader':
      'The server drops a socket for which more than 64 MiB wait; others are not affected.',
    'messages/uncompressed':
      'Messages are compressed only if compression is enabled and the client offers it.',
  }),
  ...chosen.hosted({
    'messages/hosted-sid':
      'The first message on a hosted socket is a status with a sid that the server chose.',
    'messages/hosted-reconnect':
      'A hosted socket that opens receives executing for each run of the account with a current node.',
    'messages/hosted-previews':
      'Of the sockets of a hosted account, those that request it receive previews with metadata.',
  }),
} as const satisfies Rules
