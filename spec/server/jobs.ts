// Jobs, which only the hosted server has: their status words, their details, listing, cancelling and deleting them.

import {
  hosted,
  type Endpoints,
  type Rules,
  type Schema,
  chosen,
  stated,
  observedIn,
} from '../language.ts'
import { exceptionTypes, hostedError } from './errors.ts'
import { nodeErrorsById } from './workflows.ts'
import {
  any,
  anyObject,
  boolean,
  count,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  positive,
  record,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { get, post, remove } from '../endpoint.ts'

/** The words for the state of a run on the hosted server. */
export const jobStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** The transitions between the states of a hosted run; the last three are final. */
export const jobTransitions = {
  pending: ['in_progress', 'cancelled'],
  in_progress: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>

/** The internal states that the job status contains with the quirk `hosted.status-raw-states`, with their words. */
export const rawStates = {
  queued_limited: 'pending',
  submitted: 'pending',
  executing: 'in_progress',
  success: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<string, JobStatus>
export type RawState = keyof typeof rawStates

/** Sort keys of a job list: when a job was submitted, or how long it ran. */
export const jobOrders = ['create_time', 'execution_time'] as const

/** The kinds of output files that a job list can be filtered by, each with its keys in the outputs. */
export const mediaTypes = {
  images: 'image',
  gifs: 'video',
  video: 'video',
  videos: 'video',
  audio: 'audio',
  '3d': '3d',
} as const

/** The maximum and default number of jobs in one reply of the list, and the maximum in one cancel. */
export const jobLimits = { page: 1000, usualPage: 100, cancel: 100 } as const

const id = volatile(text)
const time = volatile(text)
const timeMs = volatile(integer)
/** The id of a job as a client sends it. */
const uuid = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
} as const

export const jobStatus = object({
  id,
  status: { enum: jobStatuses },
  created_at: time,
  updated_at: time,
  last_state_update: optional(time),
  assigned_inference: optional(textOrNull),
  error_message: optional(textOrNull),
})

export const executionError = object({
  node_id: text,
  node_type: text,
  exception_message: text,
  exception_type: { enum: Object.keys(exceptionTypes) },
  traceback: volatile(list(text)),
  current_inputs: anyObject,
  current_outputs: anyObject,
  /** Of a ValidationError alone [runs/validation-details]. */
  node_errors: optional(nodeErrorsById),
})

/** One of the files of a job, as a preview of them all. */
const previewOutput = object({
  filename: volatile(text),
  subfolder: text,
  type: text,
  nodeId: text,
  mediaType: text,
})

/** A job as a list contains it; the last five members exist only for a job that is over. */
const summary = {
  id,
  status: { enum: jobStatuses },
  create_time: timeMs,
  workflow_id: optional(text),
  execution_error: optional(executionError),
  preview_output: optional(previewOutput),
  outputs_count: optional(count),
  previewable_outputs_count: optional(count),
  execution_start_time: optional(timeMs),
  execution_end_time: optional(timeMs),
} as const

export const jobEntry = object(summary)

export const jobDetail = object({
  ...summary,
  update_time: timeMs,
  workflow: optional(object({ prompt: anyObject, extra_data: any })),
  outputs: optional(record(anyObject)),
  execution_status: optional(anyObject),
  execution_meta: optional(anyObject),
  queue_reason: optional(oneOf('concurrency_limit', 'capacity', null)),
  queue_position: optional(nullable(positive)),
})

export const pagination = object({
  offset: count,
  limit: positive,
  total: count,
  has_more: boolean,
  next_cursor: optional(volatile(text)),
})

export const jobList = object({ jobs: list(jobEntry), pagination })

export const cancelledJob = object({ cancelled: boolean })

export const jobIds = {
  ...object({ job_ids: { ...list(uuid), minItems: 1, maxItems: jobLimits.cancel } }),
  additionalProperties: false,
} as const satisfies Schema

export const cancelledJobs = object({ cancelled: list(volatile(text)) })

/** 403 with the quirk `hosted.foreign-job-403`. */
const unread = { 403: hostedError, 404: hostedError } as const
const unchanged = { 400: hostedError, 404: hostedError } as const

const listOf = (words: readonly string[]): string =>
  `^ *(${words.join('|')}) *(, *(${words.join('|')}) *)*$`

export const endpoints = {
  jobStatus: get('/job/{prompt_id}/status', hosted, {
    does: 'Returns the state of a run.',
    replies: { 200: jobStatus, ...unread },
  }),
  jobs: get('/jobs', hosted, {
    does: 'Lists jobs page by page, filtered by status, workflow or output kind on request.',
    query: {
      /** One or more of the words, separated by commas. */
      status: { type: 'string', pattern: listOf(jobStatuses) },
      workflow_id: text,
      output_type: { enum: [...new Set(Object.values(mediaTypes))] },
      sort_by: { enum: jobOrders },
      sort_order: oneOf('asc', 'desc'),
      offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      limit: { type: 'integer', minimum: 1, maximum: jobLimits.page },
      after: { type: 'string', pattern: '^job-[0-9a-z]{1,10}$' },
    },
    hostedEmptyIsNone: true,
    replies: { 200: jobList, 400: hostedError },
    // A cursor is valid only for jobs sorted by creation time.
    acceptsInvalid: hosted,
  }),
  job: get('/jobs/{prompt_id}', hosted, {
    does: 'Returns all details of a run, with its outputs once it is over.',
    replies: { 200: jobDetail, ...unread },
  }),
  deleteJob: remove('/jobs/{prompt_id}', hosted, {
    does: 'Deletes a job that is over.',
    parts: { prompt_id: uuid },
    replies: { 204: 'empty', ...unchanged },
  }),
  cancelJob: post('/jobs/{prompt_id}/cancel', hosted, {
    does: 'Cancels a pending or running job.',
    parts: { prompt_id: uuid },
    replies: { 200: cancelledJob, ...unchanged },
  }),
  cancelJobs: post('/jobs/cancel', hosted, {
    does: 'Cancels several jobs, or none if one of them is unknown.',
    body: jobIds,
    replies: { 200: cancelledJobs, ...unchanged },
  }),
} as const satisfies Endpoints

const observed = observedIn('jobs')

export const rules = {
  ...stated.hosted({
    'jobs/status':
      'A hosted run is pending while it waits and in_progress while it executes. [A38 A39 A40 A71]',
    'jobs/status-final':
      'A hosted run ends as completed, failed or cancelled, and keeps that state. [A41 A42 A43]',
  }),
  ...observed.hosted({
    'jobs/status-details':
      'The job status contains its times in RFC 3339 and a failure as JSON text.',
  }),
  ...stated.hosted({
    'jobs/detail':
      'The job detail of a run that is over holds its outputs by node id. [A44 A72 A99]',
  }),
  ...observed.hosted({
    'jobs/detail-while-open':
      'The job detail of a run that is not over holds neither outputs nor an outcome.',
    'jobs/detail-times':
      'Times in the job list and detail are milliseconds; update_time is that of the latest change.',
    'jobs/detail-error': 'The job detail of a failed run holds execution_error.',
    'jobs/detail-workflow':
      'The workflow of a job detail holds the prompt and the extra_data of its submit.',
    'jobs/outputs-counted':
      'A job that is over contains the number of its files and one file as a preview.',
    'jobs/unknown': 'All job paths return 404 for an unknown run or one of another account.',
    'jobs/listing': 'GET /jobs lists the jobs of its account in every state, newest first.',
    'jobs/listing-filters':
      'A job list can be filtered by status words, workflow_id and output_type.',
    'jobs/listing-order': 'A job list can be sorted by create_time or execution_time, asc or desc.',
    'jobs/listing-pages': 'A job list returns limit jobs starting at offset, 100 by default.',
    'jobs/listing-cursor':
      'The next_cursor of a list by create_time, sent as after, returns the jobs that follow.',
    'jobs/cancel':
      'A cancel returns whether it took effect; for a job that is over or stopping it did not.',
    'jobs/cancel-many':
      'A cancel of several jobs returns those that it stopped; one unknown id cancels none.',
    'jobs/cancel-many-body':
      'A cancel of several jobs requires 1 to 100 UUIDs as job_ids and no other key, else 400.',
    'jobs/delete':
      'A delete removes a job that is over, and returns 204 for any job that exists or existed.',
    'jobs/concurrency':
      'An account runs as many jobs at a time as its tier allows; the next starts by itself.',
    'jobs/queue-reason': 'A job that waits for others reports concurrency_limit and its position.',
  }),
  ...chosen.hosted({
    'jobs/bad-id': 'An id that is not a UUID returns 400 for cancel and delete, and 404 for reads.',
    'jobs/listing-refusals': 'An unknown or out-of-range value of a list parameter returns 400.',
    'jobs/cancel-running':
      'A running job stops at its next checkpoint, at the latest when its nodes are done.',
    'jobs/delete-keeps-files': 'The files of a deleted job remain.',
  }),
} as const satisfies Rules
