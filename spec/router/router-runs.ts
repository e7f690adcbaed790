// Calls of a model that wait for its output, what they cost, and their idempotency keys.

import { hosted, type Endpoints, type Rules, chosen, observedAt } from '../language.ts'
import { post } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { anyObject, number, object, oneOf, optional, text } from '../schema.ts'
import { routerRoot } from './router.ts'
import { keyHeaders, modelParts, routerError, routerFieldErrors } from './shapes.ts'

/** The bounds of calls: how long they are waited for, and how long an input can be that an output repeats. */
export const runLimits = {
  deadlineS: limits.routerDeadline.value,
  echoed: limits.routerEcho.value,
} as const

/** How long an answer is recorded under its key, in general and with addresses of files; and how many are. */
export const recordLimits = { hours: 24, linksS: 600, kept: 10_000 } as const

/** The providers that a call can name instead of the usual one of a model, and the names of that one. */
export const providers = {
  others: ['fal', 'wavespeed', 'runware', 'higgsfield'],
  usual: ['default', 'comfy', 'comfyui'],
} as const

const money = { type: 'string', pattern: '^\\d+(\\.\\d{1,8})?$' } as const

export const routerEstimate = object({
  source: oneOf('exact', 'estimated', 'unknown'),
  currency: text,
  provider: text,
  model: text,
  pricing_as_of: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT', volatile: true },
  amount: optional(money),
  amount_cents: optional(number),
  credits: optional(number),
  reason: optional(text),
})

/** What every call of a model can answer, beside its output. */
export const callReplies = {
  400: routerError,
  401: routerError,
  402: routerError,
  403: routerError,
  404: routerError,
  409: routerError,
  413: routerError,
  422: routerFieldErrors,
  429: routerError,
  500: routerError,
  502: routerError,
  503: routerError,
  504: routerError,
} as const

const flag = { type: 'boolean' } as const

const of = `${routerRoot}/{provider}/{model}` as const

export const endpoints = {
  routerRun: post(of, hosted, {
    does: 'Runs a model, and returns its output when it is over.',
    parts: modelParts,
    query: {
      model_provider: text,
      strict_mode: flag,
      fallback_provider: text,
      reject_unknown_fields: flag,
    },
    headers: keyHeaders,
    body: anyObject,
    replies: { 200: 'bytes', ...callReplies },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  routerEstimate: post(`${of}/estimate`, hosted, {
    does: 'Returns what a call of a model would cost.',
    parts: modelParts,
    body: anyObject,
    replies: {
      200: routerEstimate,
      400: routerError,
      401: routerError,
      403: routerError,
      404: routerError,
      413: routerError,
      422: routerFieldErrors,
    },
    rejectsValid: hosted,
  }),
} as const satisfies Endpoints

const { hosted: observed } = observedAt(
  'clients of Comfy Router: comfy-sdk 0.5.0 with its contract',
)

export const rules = {
  ...observed({
    'router-runs/output':
      'POST of a model returns its output: JSON, or a file under the media type of that file.',
    'router-runs/result-headers':
      'An output comes with nosniff, and X-Comfy-Credits-Used says what it cost.',
    'router-runs/media': 'Addresses in an output lead to files, which need no key.',
    'router-runs/bad-body':
      'An input that is not JSON returns 400 invalid_input, any other value than an object 422.',
    'router-runs/fields':
      'An input that does not fit the schema of its model returns 422 with an entry for each field.',
    'router-runs/unknown-fields':
      'A model ignores fields that it does not declare, unless reject_unknown_fields is true.',
    'router-runs/provider':
      'A model_provider that is unknown, or does not have the model, returns 400.',
    'router-runs/strict':
      'With strict_mode a model_provider takes any input, and its own output is returned.',
    'router-runs/no-credits': 'A call beyond the balance returns 402 insufficient_credits.',
    'router-runs/concurrency':
      'More calls than the tier allows return 429 concurrency_limit_exceeded with Retry-After.',
    'router-runs/estimate':
      'The estimate of a call has its price in dollars, cents and credits; it charges nothing.',
    'router-runs/replay':
      'The same key and request return the recorded answer with Idempotent-Replayed.',
    'router-runs/key-in-flight':
      'A key whose call is running returns 409 concurrency_limit_exceeded with Retry-After.',
    'router-runs/key-of-another':
      'A key with another path, query or body returns 409 invalid_input without Retry-After.',
    'router-runs/key-released':
      'A call that is refused before it reaches a provider does not use up its key.',
    'router-runs/key-kept':
      'A 400 or 422 of a provider is recorded; the key of any other failure returns 409.',
    'router-runs/key-lifetime': `An answer is recorded for ${recordLimits.hours} hours.`,
    'router-runs/deadline':
      'A call that takes longer than 300 seconds returns 504 deadline_exceeded; its key collects it.',
  }),
  ...chosen.hosted({
    'router-runs/takes-time':
      'A call is answered when its time is over, on the clock of the world.',
    'router-runs/client-gone': 'A call whose client disconnects goes on, and is recorded.',
    'router-runs/faults':
      'A fault delays, cuts or resets the answer of a run when it comes; the run goes on.',
    'router-runs/restart': 'A restart resets the requests that wait for runs; the runs go on.',
    'router-runs/restored':
      'Runs of a restored world go on; requests that waited for them are over.',
    'router-runs/charge': 'A call charges the balance of its account when it has an output.',
    'router-runs/size':
      'Pictures have the width and height of the input, or its size such as 768*768.',
    'router-runs/long-input':
      'An output repeats inputs up to 16,384 characters, and leaves out what is longer.',
    'router-runs/body-limit': 'An input beyond the limit of request bodies returns 413.',
    'router-runs/key-form': 'An Idempotency-Key that is empty, long or not ASCII returns 400.',
    'router-runs/key-scope': 'Each account has its own keys of the Router, apart from those of v2.',
    'router-runs/links-replay': `An answer with addresses is recorded for ${recordLimits.linksS} seconds; later its key returns 409.`,
  }),
} as const satisfies Rules
