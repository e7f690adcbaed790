// Jobs of a local server, which only later generations have: its queue and its history as one list, and how to cancel.
// The hosted server has its own jobs, in jobs.ts.

import { local, type Endpoints, type Rules, type Schema } from '../language.ts'
import { cancelledJob } from './jobs.ts'

/** The error of a job request that a local server rejects. */
export const localJobError = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
} as const satisfies Schema

/** The ids that a cancel of several jobs names. */
export const localJobIds = {
  type: 'object',
  properties: {
    job_ids: {
      type: 'array',
      items: {
        type: 'string',
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      },
    },
  },
  required: ['job_ids'],
} as const satisfies Schema

export const endpoints = {
  cancelLocalJob: {
    method: 'POST',
    path: '/api/jobs/{prompt_id}/cancel',
    on: local,
    since: '0.27',
    does: 'Cancels a pending or running job, and returns whether there was one.',
    replies: { 200: cancelledJob },
  },
  cancelLocalJobs: {
    method: 'POST',
    path: '/api/jobs/cancel',
    on: local,
    since: '0.27',
    does: 'Cancels several jobs, and returns whether there was one of them.',
    body: localJobIds,
    replies: { 200: cancelledJob, 400: localJobError },
  },
} as const satisfies Endpoints

const source = 'ComfyUI 0.27.0, jobs'

export const rules = {
  'local-jobs/paths': {
    says: 'Local job paths begin with /api: without it they do not exist, and a second /api precedes them.',
    basis: 'observed',
    source,
    on: local,
    since: '0.27',
  },
  'local-jobs/cancel': {
    says: 'A cancel interrupts a running job or removes a pending one, and returns whether it was either.',
    basis: 'observed',
    source,
    on: local,
    since: '0.27',
  },
  'local-jobs/cancel-many': {
    says: 'A cancel of several local jobs returns true if one of them was running or pending.',
    basis: 'observed',
    source,
    on: local,
    since: '0.27',
  },
  'local-jobs/cancel-many-body': {
    says: 'A cancel without a list of UUIDs in lower case returns 400 with an error and cancels nothing.',
    basis: 'observed',
    source,
    on: local,
    since: '0.27',
  },
} as const satisfies Rules
