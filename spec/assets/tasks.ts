// Tasks of a hosted account, which take time: downloads of files from elsewhere, and exports of assets as an archive.

import { hosted, type Endpoints, type Rules, chosen, observedAt } from '../language.ts'
import {
  anyObject,
  boolean,
  count,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  textOrNull,
} from '../schema.ts'
import { get, post, remove } from '../endpoint.ts'
import { hostedError } from '../server/errors.ts'
import { time } from '../v2/shapes.ts'
import { hostedAsset } from './hosted-assets.ts'

const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
const uuid = { type: 'string', pattern: UUID, volatile: true } as const
const ofTask = { id: { type: 'string', pattern: UUID } } as const

/** The states of a task. */
export const taskStates = ['created', 'running', 'completed', 'failed', 'cancelled'] as const
const status = { enum: taskStates } as const

const taskMembers = {
  id: uuid,
  task_name: text,
  status,
  create_time: time,
  started_at: optional(time),
  completed_at: optional(time),
} as const

export const task = object({
  ...taskMembers,
  idempotency_key: text,
  payload: anyObject,
  update_time: time,
  result: optional(anyObject),
  error_message: optional(text),
})

export const taskPage = object({
  tasks: list(object(taskMembers)),
  pagination: object({ offset: count, limit: count, total: count, has_more: boolean }),
})

/** A task that a request has begun. */
export const newTask = object({ task_id: uuid, status, message: optional(text) })

const fault = object({ code: text, message: text, field: optional(text) })

/** What is known of a file elsewhere before it is downloaded. */
export const remoteMetadata = object({
  content_length: integer,
  content_type: optional(text),
  filename: optional(text),
  name: optional(text),
  tags: optional(list(text)),
  preview_image: optional(text),
  validation: optional(
    object({
      is_valid: boolean,
      errors: optional(list(fault)),
      warnings: optional(list(fault)),
    }),
  ),
})

const address = { type: 'string', examples: ['https://models.example/a.safetensors'] } as const

export const downloadRequest = object({
  source_url: address,
  tags: optional({ ...list(text), maxItems: 64 }),
  user_metadata: optional(anyObject),
  preview_id: optional(text),
})

/** How the files of an archive are named. */
export const namingStrategies = [
  'group_by_job_time',
  'group_by_job_id',
  'preserve',
  'asset_id',
] as const

const ids = { ...list({ type: 'string', pattern: UUID } as const), minItems: 1 } as const

export const exportRequest = object({
  job_ids: optional(ids),
  asset_ids: optional(ids),
  naming_strategy: optional({ enum: namingStrategies }),
  job_asset_name_filters: optional(anyObject),
  include_previews: optional(boolean),
})

/** Where an archive is fetched, without a key. */
export const exportLink = object({ url: text, expires_at: optional(time) })

/** Reasons why a file cannot be downloaded: a URL that ends in `#` and one of them fails with it. */
export const downloadFaults = [
  'FILE_TOO_LARGE',
  'FORMAT_NOT_ALLOWED',
  'UNSAFE_PICKLE_SCAN',
  'MODEL_TYPE_NOT_SUPPORTED',
  'UNSUPPORTED_SOURCE',
  'UNAUTHORIZED_SOURCE',
  'USER_TOKEN_INVALID',
  'ACCESS_FORBIDDEN',
  'RESOURCE_NOT_FOUND',
  'RATE_LIMITED',
  'NETWORK_TIMEOUT',
  'METADATA_FETCH_FAILED',
] as const

/** A published asset, and what an account has of it. */
const foundAsset = object({
  id: text,
  name: text,
  preview_url: textOrNull,
  storage_url: text,
  model: boolean,
  public: boolean,
  in_library: boolean,
})

export const importRequest = object({
  published_asset_ids: { ...list(text), minItems: 1 },
  share_id: optional(text),
})
export const importedAssets = object({ assets: list(hostedAsset) })
export const workflowQuestion = object({
  workflow_api_json: anyObject,
  owned: optional(boolean),
})
export const workflowAssets = object({ assets: list(foundAsset) })

/** The data of the messages about a download and an export. */
export const downloadProgress = object({
  task_id: uuid,
  asset_name: text,
  bytes_total: count,
  bytes_downloaded: count,
  progress: number,
  status: oneOf('created', 'running', 'completed', 'failed'),
  asset_id: optional(uuid),
  error: optional(text),
})

export const exportProgress = object({
  task_id: uuid,
  status: oneOf('running', 'completed', 'failed'),
  assets_total: count,
  assets_attempted: count,
  assets_failed: count,
  bytes_total: count,
  bytes_processed: count,
  progress: number,
  export_name: optional(text),
  error: optional(text),
})

const invalid = { 400: hostedError, 422: hostedError } as const

export const endpoints = {
  remoteMetadata: get('/assets/remote-metadata', hosted, {
    does: 'Returns what is known of a file elsewhere; nothing is fetched from there.',
    query: { url: address },
    requiredQuery: ['url'],
    replies: { 200: remoteMetadata, ...invalid },
    rejectsValid: hosted,
  }),
  downloadAsset: post('/assets/download', hosted, {
    does: 'Downloads a file from elsewhere as an asset.',
    body: downloadRequest,
    replies: { 200: hostedAsset, 202: newTask, ...invalid },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  exportAssets: post('/assets/export', hosted, {
    does: 'Packs assets into an archive.',
    body: exportRequest,
    replies: { 202: newTask, 400: hostedError },
    // Either list of ids is needed.
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  assetExport: get('/assets/exports/{name}', hosted, {
    does: 'Returns the address of an archive.',
    parts: { name: { type: 'string', pattern: '^[A-Za-z0-9_-]+\\.zip$' } },
    replies: { 200: exportLink, 400: hostedError, 404: hostedError },
  }),
  importAssets: post('/assets/import', hosted, {
    does: 'Adds published assets to the account.',
    body: importRequest,
    replies: { 200: importedAssets, 400: hostedError, 404: hostedError },
  }),
  workflowAssets: post('/assets/from-workflow', hosted, {
    does: 'Lists the assets that a workflow names.',
    body: workflowQuestion,
    replies: { 200: workflowAssets, 400: hostedError },
    acceptsInvalid: hosted,
  }),
  tasks: get('/tasks', hosted, {
    does: 'Lists the tasks of the account.',
    query: {
      task_name: text,
      idempotency_key: text,
      status: {
        type: 'string',
        pattern: `^(${taskStates.join('|')})(,(${taskStates.join('|')}))*$`,
      },
      created_after: time,
      created_before: time,
      sort_order: oneOf('asc', 'desc'),
      offset: count,
      limit: { type: 'integer', minimum: 1, maximum: 100 },
    },
    hostedEmptyIsNone: true,
    replies: { 200: taskPage, 422: hostedError },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  task: get('/tasks/{id}', hosted, {
    parts: ofTask,
    does: 'Returns a task.',
    replies: { 200: task, 404: hostedError },
  }),
  cancelTask: remove('/tasks/{id}', hosted, {
    parts: ofTask,
    does: 'Cancels a download.',
    replies: { 204: 'empty', 404: hostedError, 409: hostedError },
  }),
} as const satisfies Endpoints

const observed = observedAt('published hosted API, 2026, assets and tasks').hosted
const client = observedAt('clients of the hosted API: front end 1.58.1').hosted

export const rules = {
  ...observed({
    'tasks/remote-metadata':
      'GET remote-metadata of a URL returns its name, type and length, and whether it is valid.',
    'tasks/bad-url': 'remote-metadata and download return 400 without a URL, and 422 for no URL.',
    'tasks/download':
      'A download returns 202 with the id of a task, which completes with the asset of the file.',
    'tasks/download-known':
      'A download of a URL that is an asset already returns 200 with that asset.',
  }),
  ...client({
    'tasks/download-messages':
      'A download sends asset_download with its progress, at last completed with the asset_id.',
    'tasks/download-failed':
      'A download that fails sends asset_download failed, and its task the code as error_message.',
    'tasks/export':
      'An export returns 202 with the id of a task, whose result names the archive and its sizes.',
    'tasks/export-messages':
      'An export sends asset_export with its progress, at last completed with the export_name.',
    'tasks/export-refusals':
      'An export returns 400 without ids, with bad ones, and for an unknown naming_strategy.',
    'tasks/export-link': 'GET exports/<name> returns an address of the archive that needs no key.',
    'tasks/export-names':
      'naming_strategy names the files of an archive by the time or id of their job, or the asset.',
    'tasks/export-nothing':
      'An export of nothing completes with success false, and lists the assets that failed.',
    'tasks/import': 'An import of published assets adds them to the account.',
    'tasks/from-workflow': 'from-workflow lists the assets that the inputs of a workflow name.',
  }),
  ...observed({
    'tasks/list': 'GET /api/tasks lists tasks, filtered by name, key, status words and time.',
    'tasks/list-refusals': 'A list of tasks returns 422 for a value that does not fit.',
    'tasks/one': 'A task has its key, payload and times, and at its end a result or error_message.',
    'tasks/unknown': 'A task that does not exist, or belongs to others, returns 404.',
    'tasks/cancel':
      'DELETE of the task of a running download returns 204, and the task is cancelled.',
    'tasks/cancel-over': 'DELETE of a task that is over returns 409.',
  }),
  ...chosen.hosted({
    'tasks/scripted':
      'A download fails with the code behind # in its URL, and for hosts below .invalid.',
    'tasks/same': 'The same download or export returns the same task while that is not over.',
    'tasks/clock': 'A download takes 1000 ms of the time of the world, and an export 200 ms.',
    'tasks/bounds': 'Of each hosted account the latest 1000 tasks are kept.',
  }),
} as const satisfies Rules
