// The execution of a workflow: order of nodes, cache, failure, interrupt, and what hosted tells about a job.

import { both, hosted, local, type Endpoints, type Rules, type Schema } from './language.ts'
import { exceptionTypes, hostedError } from './errors.ts'

/** The words for the state of a run on hosted. */
export const jobStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** From which word to which others a run goes on hosted; the last three are final. */
export const jobTransitions = {
  pending: ['in_progress', 'cancelled'],
  in_progress: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>

export const jobStatus = {
  type: 'object',
  properties: {
    id: { type: 'string', volatile: true },
    status: { enum: jobStatuses },
    created_at: { type: 'string', volatile: true },
    updated_at: { type: 'string', volatile: true },
    last_state_update: { type: 'string', volatile: true },
    assigned_inference: { type: ['string', 'null'] },
    error_message: { type: ['string', 'null'] },
  },
  required: ['id', 'status', 'created_at', 'updated_at'],
} as const satisfies Schema

export const executionError = {
  type: 'object',
  properties: {
    node_id: { type: 'string' },
    node_type: { type: 'string' },
    exception_message: { type: 'string' },
    exception_type: { enum: Object.keys(exceptionTypes) },
    traceback: { type: 'array', items: { type: 'string' }, volatile: true },
    current_inputs: { type: 'object' },
    current_outputs: { type: 'object' },
  },
  required: [
    'node_id',
    'node_type',
    'exception_message',
    'exception_type',
    'traceback',
    'current_inputs',
    'current_outputs',
  ],
} as const satisfies Schema

const timeMs = { type: 'integer', volatile: true } as const

export const jobDetail = {
  type: 'object',
  properties: {
    id: { type: 'string', volatile: true },
    status: { enum: jobStatuses },
    create_time: timeMs,
    update_time: timeMs,
    workflow: { type: 'object' },
    execution_error: executionError,
    outputs: { type: 'object', additionalProperties: { type: 'object' } },
    preview_output: { type: 'object' },
    outputs_count: { type: 'integer', minimum: 0 },
    workflow_id: { type: 'string' },
    execution_status: { type: 'object' },
    execution_meta: { type: 'object' },
    execution_start_time: timeMs,
    execution_end_time: timeMs,
  },
  required: ['id', 'status', 'create_time', 'update_time'],
} as const satisfies Schema

export const endpoints = {
  jobStatus: {
    method: 'GET',
    path: '/job/{prompt_id}/status',
    on: hosted,
    does: 'Tells in which state a run is.',
    replies: { 200: jobStatus, 401: hostedError, 404: hostedError },
  },
  job: {
    method: 'GET',
    path: '/jobs/{prompt_id}',
    on: hosted,
    does: 'Tells all about a run, with its outputs once it is over.',
    replies: { 200: jobDetail, 401: hostedError, 404: hostedError },
  },
} as const satisfies Endpoints

export const rules = {
  'runs/sources-first': {
    says: 'Only nodes that outputs need run, each after the nodes that its inputs link to.',
    basis: 'observed',
    on: both,
  },
  'runs/node-order': {
    says: 'Of the ready nodes outputs run first, then those one and two links before outputs.',
    basis: 'observed',
    on: local,
  },
  'runs/unchanged-is-cached': {
    says: 'A node with the type, inputs and sources of the run before is not run again.',
    basis: 'observed',
    on: both,
  },
  'runs/cache-ignores-ids': {
    says: 'The cache knows nodes by what they do, not by their ids.',
    basis: 'observed',
    on: local,
  },
  'runs/cache-of-last-graph': {
    says: 'The cache holds only results for the graph of the run before.',
    basis: 'observed',
    on: local,
  },
  'runs/cached-output-again': {
    says: 'A cached output node shows its stored output again and writes no file.',
    basis: 'observed',
    on: local,
  },
  'runs/changed-file-runs': {
    says: 'A loader runs again when the bytes of its file have changed.',
    basis: 'observed',
    on: local,
  },
  'runs/failure-ends': {
    says: 'The first failing node ends the run.',
    basis: 'observed',
    on: both,
  },
  'runs/local-exception-names': {
    says: 'A local exception_type is the name of a Python class.',
    basis: 'observed',
    on: local,
  },
  'runs/poison-fails-its-run': {
    says: 'A request that breaks the worker of real servers fails only its own run.',
    basis: 'chosen',
    on: local,
  },
  'runs/job-status': {
    says: 'A hosted run is pending while it waits and in_progress while it executes.',
    basis: 'stated',
    on: hosted,
    carries: ['A38', 'A39', 'A40', 'A71'],
  },
  'runs/job-status-final': {
    says: 'A hosted run ends as completed, failed or cancelled, and stays so.',
    basis: 'stated',
    on: hosted,
    carries: ['A41', 'A42', 'A43'],
  },
  'runs/job-detail': {
    says: 'The job detail of a run that is over holds its outputs by node id.',
    basis: 'stated',
    on: hosted,
    carries: ['A44', 'A72', 'A99'],
  },
  'runs/job-detail-error': {
    says: 'The job detail of a failed run holds execution_error.',
    basis: 'observed',
    on: hosted,
  },
  'runs/job-unknown': {
    says: 'An unknown run, or one of another account, answers 404 to job and job status.',
    basis: 'observed',
    on: hosted,
  },
  'runs/exception-words': {
    says: 'The exception_type of a hosted failure is one of six words.',
    basis: 'stated',
    on: hosted,
    carries: ['A144'],
  },
  'runs/validation-error': {
    says: 'A bad workflow or input that validation lets through fails with ValidationError.',
    basis: 'stated',
    on: hosted,
    carries: ['A145'],
  },
  'runs/model-download-error': {
    says: 'A run whose model is not available fails with ModelDownloadError.',
    basis: 'stated',
    on: hosted,
    carries: ['A146'],
  },
  'runs/image-download-error': {
    says: 'A run whose input image cannot be fetched fails with ImageDownloadError.',
    basis: 'stated',
    on: hosted,
    carries: ['A147'],
  },
  'runs/oom-error': {
    says: 'A run that exhausts the GPU memory fails with OOMError.',
    basis: 'stated',
    on: hosted,
    carries: ['A148'],
  },
  'runs/insufficient-funds-error': {
    says: 'A partner node beyond the balance fails with InsufficientFundsError.',
    basis: 'stated',
    on: hosted,
    carries: ['A149'],
  },
  'runs/inactive-subscription-error': {
    says: 'A run without an active subscription fails with InactiveSubscriptionError.',
    basis: 'stated',
    on: hosted,
    carries: ['A150'],
  },
  'runs/scenario-failures': {
    says: 'A failure of the scenario ends the runs that it names at its node, cached or not.',
    basis: 'chosen',
    on: both,
  },
  'runs/scenario-first': {
    says: 'Of several failures for one node the first counts; one that names no node hits the first.',
    basis: 'chosen',
    on: both,
  },
  'runs/account-failures': {
    says: 'An account that is made to fail ends each of its runs at once, with that word.',
    basis: 'chosen',
    on: hosted,
  },
  'runs/other-failures': {
    says: 'Hosted tells a lack of memory as OOMError, and what has no word as ValidationError.',
    basis: 'chosen',
    on: hosted,
  },
  'runs/failure-after-start': {
    says: 'A hosted run that fails was accepted, and sends execution_start before its error.',
    basis: 'stated',
    on: hosted,
    carries: ['A144'],
  },
} as const satisfies Rules
