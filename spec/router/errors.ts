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
    body: { json: { detail, error_type } },
    headers: { [ERROR_TYPE]: error_type, ...more },
  }) as const satisfies Refusal

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
} as const satisfies Refusals
