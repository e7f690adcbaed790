// Queued calls of a model: submitting, status, result, cancelling.

import { hosted, type Endpoints, type Rules, chosen, observedAt } from '../language.ts'
import { get, post, put } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { anyObject, count, object, oneOf, optional, text, volatile } from '../schema.ts'
import { routerRoot } from './router.ts'
import { callReplies, routerEstimate } from './router-runs.ts'
import { keyHeaders, modelParts, routerError } from './shapes.ts'

/** The bounds of the queue of an account. */
export const queueLimits = {
  waiting: limits.routerBacklog.value,
  timeoutS: 3600,
  kept: 10_000,
  retentionH: 24,
} as const

const id = {
  type: 'string',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  volatile: true,
} as const
const url = volatile(text)
const urls = { status_url: url, response_url: url, cancel_url: url } as const

export const routerStatus = object({
  request_id: id,
  status: oneOf('IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'),
  queue_position: optional(count),
  error_type: optional(text),
  detail: optional(text),
  ...urls,
})

export const routerHandle = object({
  request_id: id,
  status: oneOf('IN_QUEUE'),
  queue_position: count,
  ...urls,
  estimate: optional(routerEstimate),
})

export const routerCancel = object({
  request_id: id,
  status: oneOf('CANCELLATION_REQUESTED', 'ALREADY_COMPLETED'),
})

const always = { 401: routerError, 403: routerError, 404: routerError } as const
const at = `${routerRoot}/{provider}/{model}/requests` as const

export const endpoints = {
  routerSubmit: post(at, hosted, {
    does: 'Queues a call of a model.',
    parts: modelParts,
    headers: keyHeaders,
    body: anyObject,
    replies: { 201: routerHandle, ...callReplies },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  routerStatus: get(`${at}/{request_id}/status`, hosted, {
    does: 'Returns the state of a queued call.',
    parts: modelParts,
    replies: { 200: routerStatus, ...always, 410: routerError },
  }),
  routerResult: get(`${at}/{request_id}`, hosted, {
    does: 'Returns the output of a queued call that is over.',
    parts: modelParts,
    replies: { 200: 'bytes', 202: routerStatus, ...callReplies, 410: routerError },
  }),
  routerCancel: put(`${at}/{request_id}/cancel`, hosted, {
    does: 'Cancels a queued call that is not over.',
    parts: modelParts,
    replies: { 202: routerCancel, 409: routerCancel, ...always, 410: routerError },
  }),
} as const satisfies Endpoints

const { hosted: observed } = observedAt(
  'clients of Comfy Router: comfy-sdk 0.5.0 with its contract',
)

export const rules = {
  ...observed({
    'router-queue/submit':
      'POST of requests returns 201: the id, IN_QUEUE, the position and three addresses.',
    'router-queue/addresses': 'The addresses of a queued call are absolute, and work.',
    'router-queue/states': 'A queued call is IN_QUEUE, IN_PROGRESS, then COMPLETED.',
    'router-queue/position': 'The position of a queued call is the number of those ahead of it.',
    'router-queue/pace': 'The status of a call that is not over has a Retry-After.',
    'router-queue/result': 'The result of a call is what a run of its model returns.',
    'router-queue/not-ready': 'The result of a call that is not over is 202 with its status.',
    'router-queue/failed':
      'A call that fails is COMPLETED with error_type; its result has the status of that bucket.',
    'router-queue/cancel-queued':
      'A cancelled call that waits ends as cancelled; its result returns 409, and it costs nothing.',
    'router-queue/cancel-over': 'Cancelling a call that is over returns 409 ALREADY_COMPLETED.',
    'router-queue/unknown':
      'A call of another model or account, or one that never was, returns 404 request_not_found.',
    'router-queue/bytes': 'A model that answers with a file returns 403 not_enabled for a submit.',
    'router-queue/backlog': `With ${queueLimits.waiting} waiting calls a submit returns 429 queue_backlog_full with Retry-After.`,
    'router-queue/key': 'A submit with the same key and request returns the first handle again.',
    'router-queue/estimate': 'A new handle has the estimate of its call, a repeated one has not.',
    'router-queue/retention': `The result of a call is kept for ${queueLimits.retentionH} hours, then returns 410.`,
    'router-queue/timeout': `A call that waits for ${queueLimits.timeoutS} seconds ends with 504 queue_timeout.`,
  }),
  ...chosen.hosted({
    'router-queue/order':
      'Queued calls start in their order, as many at a time as the tier allows.',
    'router-queue/cancel-running': 'A cancelled call that runs ends as cancelled, too.',
  }),
} as const satisfies Rules
