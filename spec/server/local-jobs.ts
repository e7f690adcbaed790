// Jobs of a local server, which only later generations have: its queue and its history as one list, and how to cancel.
// The hosted server has its own jobs, in jobs.ts.

import { local, type Endpoints, type Rules, type Schema, observedAt } from '../language.ts'
import { cancelledJob, jobStatuses } from './jobs.ts'
import { messages } from './messages.ts'
import {
  anyObject,
  boolean,
  count,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  positive,
  record,
  text,
  volatile,
} from '../schema.ts'
import { get, post } from '../endpoint.ts'

/** Sort keys of the list: when a job was submitted, or how long it ran. */
export const localJobOrders = ['created_at', 'execution_duration'] as const

const timeMs = volatile(integer)

/** One of the outputs of a job, or the beginning of a text. */
const previewOutput = object({
  filename: optional(volatile(text)),
  subfolder: optional(text),
  type: optional(text),
  content: optional(text),
  truncated: optional(oneOf(true)),
  nodeId: text,
  mediaType: text,
})

const members = {
  id: volatile(text),
  status: { enum: jobStatuses },
  priority: number,
  create_time: timeMs,
  execution_start_time: timeMs,
  execution_end_time: timeMs,
  execution_error: messages.execution_error.data,
  outputs_count: count,
  previewable_outputs_count: count,
  preview_output: previewOutput,
  workflow_id: {},
} as const
const required = ['id', 'status', 'priority', 'create_time', 'outputs_count'] as const

/** A job in the list. */
export const localJobEntry = {
  type: 'object',
  properties: members,
  required,
} as const satisfies Schema

export const localJobDetail = {
  type: 'object',
  properties: {
    ...members,
    outputs: record(anyObject),
    execution_status: anyObject,
    workflow: object({ prompt: anyObject, extra_data: anyObject }),
  },
  required,
} as const satisfies Schema

export const localJobList = object({
  jobs: list(localJobEntry),
  pagination: object({ offset: count, limit: nullable(positive), total: count, has_more: boolean }),
})

/** The error of a job request that a local server rejects. */
export const localJobError = object({ error: text })

/** The ids that a cancel of several jobs names. */
export const localJobIds = object({
  job_ids: list({ type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
})

/** Words of a list, separated by commas, in any case and with blanks around them. */
const statusList = `^ *(${jobStatuses.join('|')}) *(, *(${jobStatuses.join('|')}) *)*$`

export const endpoints = {
  localJobs: get('/api/jobs', local, {
    since: '0.27',
    does: 'Lists pending, running and finished runs, filtered by status or workflow on request.',
    query: {
      status: { type: 'string', pattern: statusList },
      workflow_id: text,
      sort_by: { enum: localJobOrders },
      sort_order: oneOf('asc', 'desc'),
      limit: positive,
      offset: integer,
    },
    replies: { 200: localJobList, 400: localJobError },
    // Words in upper case, blanks and an empty status are accepted too.
    acceptsInvalid: local,
  }),
  localJob: get('/api/jobs/{prompt_id}', local, {
    since: '0.27',
    does: 'Returns one job, with its outputs and its workflow once it is over.',
    replies: { 200: localJobDetail, 404: localJobError },
  }),
  cancelLocalJob: post('/api/jobs/{prompt_id}/cancel', local, {
    since: '0.27',
    does: 'Cancels a pending or running job, and returns whether there was one.',
    replies: { 200: cancelledJob },
  }),
  cancelLocalJobs: post('/api/jobs/cancel', local, {
    since: '0.27',
    does: 'Cancels several jobs, and returns whether there was one of them.',
    body: localJobIds,
    replies: { 200: cancelledJob, 400: localJobError },
  }),
} as const satisfies Endpoints

const observed = observedAt('ComfyUI 0.27.0, jobs', { since: '0.27' })
const newer = observedAt('ComfyUI 0.33.0, jobs', { since: '0.33' })

export const rules = {
  ...observed.local({
    'local-jobs/paths':
      'Local job paths begin with /api: without it they do not exist, and a second /api precedes them.',
    'local-jobs/listing':
      'GET /api/jobs lists the running, the pending and the finished runs, newest first.',
    'local-jobs/listing-fields':
      'A local job has status, priority, create_time and outputs_count, and no member that is null.',
    'local-jobs/listing-filters':
      'A local job list can be filtered by status words in any case, and by the id of the workflow.',
    'local-jobs/listing-order':
      'A local job list can be sorted by created_at or execution_duration, asc or desc, in any case.',
    'local-jobs/listing-ties':
      'Equal jobs are listed in this order: running, pending, finished with the oldest first.',
    'local-jobs/listing-pages':
      'A local job list has all jobs, or limit jobs from offset on; a limit that is not given is null.',
    'local-jobs/listing-refusals':
      'A bad value in a local job list returns 400 with the first error as a text.',
    'local-jobs/status':
      'A local job is in_progress while it runs, then completed, failed or cancelled.',
    'local-jobs/removed': 'A pending run that is removed from the queue is no longer a job.',
    'local-jobs/detail':
      'The detail of a local job that is over has its outputs, execution_status and workflow.',
    'local-jobs/unknown':
      'The detail of an unknown local job returns 404, whatever the form of its id.',
    'local-jobs/error':
      'A failed local job has the data of its execution_error message; a cancelled one has none.',
    'local-jobs/outputs-count':
      'A local job counts the objects in its outputs, not texts; a name of a 3D file is an object.',
  }),
  ...observedAt('ComfyUI 0.27.0, jobs', { since: '0.27', before: '0.33' }).local({
    'local-jobs/preview':
      'The preview of a local job is its first saved output that can be shown, else the first of all.',
  }),
  ...observed.local({
    'local-jobs/text-preview':
      'A text as the preview of a local job is its first 1024 characters, and says if more follow.',
    'local-jobs/workflow-id': 'A local job has the workflow_id that its extra_pnginfo names.',
    'local-jobs/not-on-local':
      'Local jobs cannot be deleted, and job status, job assets and history_v2 do not exist.',
  }),
  ...observedAt('ComfyUI 0.27.0, jobs', { since: '0.27', before: '0.38' }).local({
    'local-jobs/open-without-workflow':
      'The detail of a local job that is not over has only the members of the list.',
  }),
  ...newer.local({
    'local-jobs/previewable-count': 'A local job also counts the outputs that can be shown.',
    'local-jobs/media-first':
      'The preview of a local job is a saved medium, else any medium, else a text file, else a text.',
  }),
  ...observedAt('ComfyUI 0.38.1, read: jobs', { since: '0.38' }).local({
    'local-jobs/workflow-while-open':
      'The detail of a local job that is not over has its workflow too.',
  }),
  ...observed.local({
    'local-jobs/cancel':
      'A cancel interrupts a running job or removes a pending one, and returns whether it was either.',
    'local-jobs/cancel-many':
      'A cancel of several local jobs returns true if one of them was running or pending.',
    'local-jobs/cancel-many-body':
      'A cancel without a list of UUIDs in lower case returns 400 with an error and cancels nothing.',
  }),
} as const satisfies Rules
