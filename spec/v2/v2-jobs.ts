// Jobs of the hosted API v2: submitting, states, progress, outputs, labels, listing, cancelling.

import { hosted, type Endpoints, type Rules, chosen, observedIn, observedAt } from '../language.ts'
import { v2Error } from './errors.ts'
import { hashPattern, id, keyHeaders, time, timeOrNull } from './shapes.ts'
import {
  anyObject,
  anyOf,
  count,
  integer,
  list,
  nothing,
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
import { get, post } from '../endpoint.ts'

/** The words for the state of a job. */
export const v2States = [
  'queued',
  'running',
  'canceling',
  'succeeded',
  'canceled',
  'failed',
  'expired',
] as const
export type V2State = (typeof v2States)[number]

/** The states that never change again. */
export const v2FinalStates = [
  'succeeded',
  'canceled',
  'failed',
  'expired',
] as const satisfies readonly V2State[]

/** The kinds of outputs, each with the keys of a node output that hold it. */
export const outputTypes = {
  images: 'image',
  gifs: 'video',
  video: 'video',
  videos: 'video',
  audio: 'audio',
  text: 'text',
  files: 'file',
  '3d': 'file',
  latents: 'latent',
} as const
export type OutputType = (typeof outputTypes)[keyof typeof outputTypes]

/** How long a job is kept, in hours, as its `expires_at` states. */
export const JOB_LIFETIME_H = 24

/** The limits of labels, and of a list of jobs. */
export const labelLimits = { pairs: 16, keyLength: 40, valueBytes: 256, filters: 3 } as const
export const v2ListLimits = { page: 100, usualPage: 50 } as const

/** A key of a label. */
export const labelKeyPattern = `^[A-Za-z0-9_.-]{1,${labelLimits.keyLength}}$`

const url = volatile(text)
const countOrNull = nullable(count)

export const v2Progress = object({
  value: { type: 'number', minimum: 0, maximum: 1, volatile: true },
  nodes_done: volatile(count),
  nodes_total: count,
  current_node: optional(textOrNull),
  current_node_class: optional(textOrNull),
  message: optional(textOrNull),
  step: optional(countOrNull),
  steps: optional(countOrNull),
})

export const v2Output = object({
  node_id: text,
  name: volatile(text),
  type: { enum: [...new Set(Object.values(outputTypes))] as readonly OutputType[] },
  content_type: text,
  size_bytes: count,
  id,
  hash: { type: ['string', 'null'], pattern: hashPattern, volatile: true },
  url,
  url_expires_at: time,
  job_id: optional(volatile(textOrNull)),
})

export const v2JobError = object({
  code: text,
  message: text,
  node_id: optional(textOrNull),
  class_type: optional(textOrNull),
  traceback: optional(volatile(textOrNull)),
})

export const v2Job = object({
  id,
  status: { enum: v2States },
  created_at: time,
  started_at: timeOrNull,
  completed_at: timeOrNull,
  expires_at: time,
  queue_position: nullable(positive),
  progress: anyOf(v2Progress, nothing),
  outputs: list(v2Output),
  error: anyOf(v2JobError, nothing),
  urls: object({ self: url, events: url, cancel: url }),
  metrics: optional(record(volatile(nullable(integer)))),
  metadata: optional(record(text)),
})

export const v2JobList = object({
  jobs: list(
    object({
      id,
      status: { enum: v2States },
      create_time: time,
      update_time: time,
      metadata: optional(record(text)),
    }),
  ),
  next_cursor: optional(volatile(text)),
})

export const v2Workflow = object({ workflow: anyObject, format: oneOf('api', 'save') })

export const v2Submit = object({
  workflow: anyObject,
  extra_data: optional({
    type: 'object',
    properties: {
      api_key_comfy_org: text,
      api_key_partner_org: text,
      auth_token_comfy_org: text,
    },
    additionalProperties: false,
  }),
  metadata: optional({
    type: 'object',
    propertyNames: { type: 'string', pattern: labelKeyPattern },
    additionalProperties: text,
    maxProperties: labelLimits.pairs,
  }),
  webhook_url: optional(nothing),
  inputs: optional(nothing),
})

const always = { 401: v2Error, 403: v2Error } as const
const ofOne = { ...always, 404: v2Error } as const

export const endpoints = {
  v2Submit: post('/v2/jobs', hosted, {
    does: 'Submits a workflow as a job.',
    headers: keyHeaders,
    body: v2Submit,
    replies: {
      201: v2Job,
      400: v2Error,
      ...always,
      402: v2Error,
      413: v2Error,
      422: v2Error,
      429: v2Error,
    },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  v2Jobs: get('/v2/jobs', hosted, {
    does: 'Lists jobs page by page, newest first, filtered by labels on request.',
    query: {
      limit: { type: 'integer', minimum: 1, maximum: v2ListLimits.page },
      cursor: text,
    },
    replies: { 200: v2JobList, 400: v2Error, ...always, 501: v2Error },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  v2Job: get('/v2/jobs/{id}', hosted, {
    does: 'Returns a job with its progress, its outputs so far and its error.',
    replies: { 200: v2Job, ...ofOne },
  }),
  v2Workflow: get('/v2/jobs/{id}/workflow', hosted, {
    does: 'Returns the workflow of a job as it runs.',
    replies: { 200: v2Workflow, ...ofOne },
  }),
  v2Cancel: post('/v2/jobs/{id}/cancel', hosted, {
    does: 'Cancels a job that is not over.',
    replies: { 200: v2Job, ...ofOne },
  }),
} as const satisfies Endpoints

const observed = observedIn('v2')

export const rules = {
  ...observed.hosted({
    'v2-jobs/created':
      'POST /api/v2/jobs returns 201 with the whole job: queued, without outputs, with its links.',
    'v2-jobs/complete':
      'A job contains every required member in every state, null where it has no value.',
    'v2-jobs/times':
      'Times of a job have a zone: created, started, completed and expires follow each other.',
    'v2-jobs/states':
      'A job is queued, then running, and ends as succeeded, failed, canceled or expired.',
    'v2-jobs/final': 'A job that is over never changes its state.',
    'v2-jobs/position': 'A queued job contains its position in the queue, from 1.',
    'v2-jobs/progress':
      'A running job contains its progress: the part that is done, nodes, the current node and step.',
    'v2-jobs/outputs':
      'A job lists an output for each file, with its node, name, type, size and address.',
    'v2-jobs/outputs-so-far': 'A running job lists the outputs of the nodes that are done.',
    'v2-jobs/error':
      'A failed job contains node_execution_error with the node, its class and the message.',
    'v2-jobs/links': 'The links of a job are paths of its server that work.',
    'v2-jobs/workflow': 'The workflow of a job is the graph that runs, in the format api.',
    'v2-jobs/cancel-running':
      'A running job that is cancelled is canceling until it has stopped, then canceled.',
    'v2-jobs/cancel-again': 'A cancel of a job that is over or canceling returns it unchanged.',
    'v2-jobs/unknown':
      'An unknown job and one of another account return the same 404 job_not_found.',
    'v2-jobs/editor-format':
      'A workflow in the format of the editor returns workflow_format_ui, whatever else is wrong.',
  }),
  ...observedAt('clients of hosted API v2: comfy-api-proxy 0.1.6').hosted({
    'v2-jobs/reserved': 'A submit with webhook_url or inputs returns 422 invalid_workflow.',
  }),
  ...observed.hosted({
    'v2-jobs/extra-data':
      'extra_data takes the credentials of partner nodes alone, and no reply contains them.',
    'v2-jobs/bad-graph':
      'A graph that cannot run returns 422 invalid_workflow, with field and reason by node.',
    'v2-jobs/credits': 'A submit that the account cannot pay for returns 402 insufficient_credits.',
    'v2-jobs/queue-full': 'A submit beyond the limit of the queue returns 429 queue_full.',
    'v2-jobs/labels': 'A job keeps the labels of its submit as they are.',
    'v2-jobs/labels-invalid': 'Labels beyond their limits return 422 metadata_invalid.',
    'v2-jobs/listing':
      'The list contains the jobs of the account newest first, each once across its pages.',
    'v2-jobs/listing-filters': 'metadata[key]=value lists the jobs with exactly these labels.',
    'v2-jobs/listing-refusals':
      'A bad filter, cursor or limit of the list returns 400 with its code.',
  }),
  ...chosen.hosted({
    'v2-jobs/lifetime': `A job expires ${JOB_LIFETIME_H} hours after its submit by its expires_at; it stays readable.`,
    'v2-jobs/cancel-queued': 'A queued job that is cancelled is canceled immediately.',
    'v2-jobs/refused-body':
      'A submit whose body is not a JSON object returns 400, without a workflow 422.',
    'v2-jobs/other-members': 'A submit ignores members that it does not know.',
  }),
} as const satisfies Rules
