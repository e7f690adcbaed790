// The failures of calls that a scenario scripts [scenario/model-error], in the two forms of errors of the Router.

import { type Bucket, buckets } from '../../../spec/router/errors.ts'
import { ERROR_TYPE } from '../../../spec/router/shapes.ts'
import type { ModelRule } from '../../../spec/scenario/models.ts'
import { jsonHeaders, type Reply } from '../../http/replies.ts'
import type { FieldError } from './validate.ts'

/** The bucket of the failure that a rule plans; undefined if it plans none. */
export const bucketOf = ({ error, errors }: ModelRule): string | undefined =>
  error ?? (errors === undefined ? undefined : 'invalid_input')

/** The buckets of failures that come from a provider, or from the call itself, when its time is over. */
const late: ReadonlySet<string> = new Set<Bucket>([
  'content_policy_violation',
  'provider_error',
  'provider_timeout',
  'internal_error',
  'deadline_exceeded',
  'queue_timeout',
  'cancelled',
  'client_disconnected',
])

/** Whether a failure comes when the time of the call is over: others refuse it when it arrives. */
export const isLate = ({ upstreamStatus }: ModelRule, bucket: string): boolean =>
  upstreamStatus !== undefined || late.has(bucket) || !Object.hasOwn(buckets, bucket)

/** Whether the output exists although the call fails [scenario/model-kept]. */
export const keepsOutput = ({ kept, retryAfter }: ModelRule, bucket: string): boolean =>
  kept ?? (bucket === 'deadline_exceeded' && retryAfter !== undefined)

const usualStatus = (bucket: string): number =>
  Object.hasOwn(buckets, bucket) ? buckets[bucket as Bucket][0] : 500

/** The failure that a rule plans. */
export function failureReply(rule: ModelRule, bucket: string): Reply {
  const { errors, status, detail = `${bucket}, as the scenario says.`, retryAfter } = rule
  const { upstreamStatus, upstreamDetail, refusalSubject } = rule
  const headers: Record<string, string> = { [ERROR_TYPE]: bucket }
  if (retryAfter !== undefined) headers['Retry-After'] = `${retryAfter}`
  if (upstreamStatus !== undefined) headers['X-Comfy-Upstream-Status'] = `${upstreamStatus}`
  if (upstreamDetail !== undefined) headers['X-Comfy-Upstream-Detail'] = upstreamDetail
  if (refusalSubject !== undefined) headers['X-Comfy-Refusal-Subject'] = refusalSubject
  for (const [name, value] of Object.entries(rule.headers ?? {}))
    if (value !== null) headers[name] = String(value)
  const own = {
    ...(upstreamDetail !== undefined && { upstream_detail: upstreamDetail }),
    ...(refusalSubject !== undefined && { refusal_subject: refusalSubject }),
  }
  const body = errors ? { detail: errors } : { detail, error_type: bucket, ...own }
  return {
    status: status ?? (errors ? 422 : usualStatus(bucket)),
    headers: Object.assign(headers, jsonHeaders),
    body: JSON.stringify(body),
  }
}

/** The refusal of an input whose fields are wrong. */
export const refuseFields = (errors: readonly FieldError[]): Reply => ({
  status: 422,
  headers: Object.assign({ [ERROR_TYPE]: 'invalid_input' }, jsonHeaders),
  body: JSON.stringify({ detail: errors }),
})
