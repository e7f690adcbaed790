// The refusals of the Router, and the buckets of its errors, which clients act on.

import type { Refusal, Refusals } from '../language.ts'
import { ERROR_TYPE } from './shapes.ts'

/** The buckets with their statuses, the usual one first. */
export const buckets = {
  invalid_input: [400, 409, 422],
  content_policy_violation: [400],
  provider_error: [502],
  provider_timeout: [504],
  insufficient_credits: [402],
  model_not_found: [404],
  unauthorized: [401],
  forbidden: [403],
  concurrency_limit_exceeded: [429, 409],
  client_disconnected: [499],
  internal_error: [500],
  deadline_exceeded: [504],
  not_enabled: [403],
  service_unavailable: [503],
  rate_limited: [429],
  cancelled: [409],
  queue_timeout: [504],
  request_not_found: [404, 410],
  queue_backlog_full: [429],
} as const satisfies Readonly<Record<string, readonly number[]>>
export type Bucket = keyof typeof buckets

/** The buckets of an answer whose status is all that is known. */
const byStatus: Readonly<Record<number, Bucket>> = {
  400: 'invalid_input',
  401: 'unauthorized',
  402: 'insufficient_credits',
  403: 'forbidden',
  404: 'model_not_found',
  409: 'invalid_input',
  410: 'request_not_found',
  413: 'invalid_input',
  422: 'invalid_input',
  429: 'rate_limited',
  499: 'client_disconnected',
  502: 'provider_error',
  503: 'service_unavailable',
}

/** The bucket of a failure that has a status alone: a 504 that says when to ask again is the Router's. */
export const bucketOf = (status: number, hasPace: boolean): Bucket =>
  status === 504
    ? hasPace
      ? 'deadline_exceeded'
      : 'provider_timeout'
    : (byStatus[status] ?? 'internal_error')

/** How long a client waits before it asks again, in seconds. */
export const PACE_S = {
  running: 1,
  waiting: 2,
  inFlight: 1,
  busy: 1,
  backlog: 5,
  deadline: 2,
} as const

type More = Readonly<Record<string, string>>

const refusal = <const B extends Bucket>(
  status: number,
  error_type: B,
  when: string,
  detail: string,
  more: More = {},
) =>
  ({
    status,
    when,
    body: { json: { error_type, detail } },
    headers: { [ERROR_TYPE]: error_type, ...more },
  }) as const satisfies Refusal

const pace = (seconds: number): More => ({ 'Retry-After': `${seconds}` })

/** Refusals of the Router. */
export const routerRefusals = {
  unauthorized: refusal(
    401,
    'unauthorized',
    'A path of the Router without a known key, as X-API-Key or bearer token.',
    'A valid API key is required: send it as X-API-Key or as a bearer token.',
  ),
  forbidden: refusal(
    403,
    'forbidden',
    'An account of the free tier.',
    'The Router needs a paid plan.',
  ),
  modelNotFound: refusal(
    404,
    'model_not_found',
    'A model that the Router does not have, or a path below its models that does not exist.',
    'There is no model {id}.{hint}',
  ),
  modelRetired: refusal(
    404,
    'model_not_found',
    'A model of the scenario that is retired.',
    '{id} was retired on {date}{hint}',
  ),
  methodNotAllowed: refusal(
    405,
    'invalid_input',
    'A path of the Router with a method that it does not support; Allow lists the supported methods.',
    'The path does not support this method.',
  ),
  badCursor: refusal(
    400,
    'invalid_input',
    'A list of models with a cursor that the server has not issued.',
    'This cursor is not from a list of this server.',
  ),
  invalidInput: refusal(
    400,
    'invalid_input',
    'A body that is not JSON, a key of the wrong form, or a provider that does not serve the model.',
    '{reason}',
  ),
  tooLarge: refusal(
    413,
    'invalid_input',
    'A request body exceeds its limit.',
    'The limit is {limit} bytes.',
  ),
  notAnObject: {
    status: 422,
    when: 'A body that is JSON, but not an object.',
    body: {
      json: {
        detail: [{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }],
      },
    },
    headers: { [ERROR_TYPE]: 'invalid_input' },
  },
  insufficientCredits: refusal(
    402,
    'insufficient_credits',
    'A call that costs more than the balance, or of an account whose subscription is inactive.',
    'The account cannot pay for this call: it costs {price} credits.',
  ),
  tooManyCalls: refusal(
    429,
    'concurrency_limit_exceeded',
    'A run while the account has as many calls at work as its tier allows.',
    'Too many calls are running: {limit} at a time.',
    pace(PACE_S.busy),
  ),
  keyInFlight: refusal(
    409,
    'concurrency_limit_exceeded',
    'A key whose call is running.',
    'The call with this Idempotency-Key is still running.',
    pace(PACE_S.inFlight),
  ),
  keyUnusable: refusal(
    409,
    'invalid_input',
    'A key of another request, or whose answer cannot be returned.',
    '{reason} Use a new Idempotency-Key.',
  ),
  deadlineExceeded: refusal(
    504,
    'deadline_exceeded',
    'A run that takes longer than it is waited for; Retry-After if it has a key.',
    'The call takes longer than {seconds} seconds.',
  ),
  bytesNotQueued: refusal(
    403,
    'not_enabled',
    'A submit for a model that answers with a file.',
    '{id} answers with a file, and cannot be queued: run it.',
  ),
  backlogFull: refusal(
    429,
    'queue_backlog_full',
    'A submit while as many calls wait as can.',
    'Too many calls are waiting: {limit} at most.',
    pace(PACE_S.backlog),
  ),
  requestNotFound: refusal(
    404,
    'request_not_found',
    'A queued call that is unknown, of another model or of another account.',
    'There is no such request.',
  ),
  requestGone: refusal(
    410,
    'request_not_found',
    'A queued call whose result is no longer kept.',
    'The result of this request has expired.',
  ),
  cancelled: refusal(
    409,
    'cancelled',
    'The result of a queued call that was cancelled.',
    'The request was cancelled.',
  ),
  queueTimeout: refusal(
    504,
    'queue_timeout',
    'The result of a queued call that has waited too long.',
    'The request has waited for too long, and never started.',
  ),
} as const satisfies Refusals
