// Models of the Router in a scenario: further ones, and rules for what calls give, how long they take and how they fail,
// by model, account, input or number of the call.

import { type Rules, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { faultWhen } from './faults.ts'
import { scenarioFile } from './nodes.ts'
import { delay } from './values.ts'
import {
  anyObject,
  boolean,
  closed,
  count,
  list,
  name,
  oneOf,
  optional,
  options,
  record,
  text,
} from '../schema.ts'

/** What a header can have. */
const inHeader = { pattern: '^[\\t\\x20-\\x7e\\xa0-\\xff]*$' } as const

const credits = { type: 'number', minimum: 0, maximum: 1e9 } as const

const output = {
  description:
    'its output as JSON; {"media": "png"} stands for the address of a file of that format, {"input": "a.b"} for the value of an input, {"times": "a.b", "item": …} in a list for as many items as that input says',
} as const

/** A model that the Router has. */
const modelType = closed({
  about: optional({ ...name, description: 'what it does' }),
  input: {
    ...anyObject,
    description: 'JSON Schema of its input, an object, as its openapi.json has it',
  },
  output: optional(output),
  bytes: optional({
    ...name,
    description: 'the format of a model that answers with a file itself, such as mp3',
  }),
  price: optional({ ...credits, description: 'credits for a call (default 0)' }),
  durationMs: optional({ ...delay, description: 'how long a call takes (default 200)' }),
  chargesOnPolicyRejection: optional({ ...name, description: 'in its billing (default unknown)' }),
  providerOutput: optional({
    ...output,
    description: 'its output with strict_mode: that of the provider which model_provider names',
  }),
  providers: optional({ ...list(name), description: 'those that model_provider can name' }),
  retired: optional(
    closed({
      on: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'from this day on' },
      successor: optional(name),
    }),
  ),
})

export type ModelType = Static<typeof modelType>

/** The models that a scenario adds, by id. */
export const modelTypes = {
  ...record(modelType),
  description: 'additional models of the Router (hosted), by id, such as acme/pic-1',
} as const

/** One rule for calls of models. The first rule that matches a call and has a member decides that member. */
export const modelRule = options({
  about: { ...name, description: 'a note for readers' },
  model: { ...name, description: 'only calls of this model, such as bfl/flux-2-pro or bfl/*' },
  user: { ...name, description: 'only calls of this account' },
  by: { ...oneOf('run', 'submit'), description: 'only calls that wait, or queued ones' },
  where: { ...anyObject, description: 'only calls whose input has these values' },
  nth: {
    ...faultWhen.properties.nth,
    description: 'only this call that the rule matches, counted from 1, or these calls',
  },
  waitMs: { ...delay, description: 'how long the call waits before it starts' },
  durationMs: { ...delay, description: 'how long it takes' },
  neverEnds: { const: true, description: 'it starts, and never has an output' },
  output,
  file: {
    ...scenarioFile,
    description: 'the content of its answer, instead of an output: a file, text or base64',
  },
  contentType: {
    ...text,
    ...inHeader,
    description: 'the media type of that file; empty for none, by default that of its content',
  },
  price: { ...credits, description: 'what it costs, in credits' },
  headers: {
    type: 'object',
    description: 'further headers of its answer, each a text; null leaves one out',
  },
  droppedParams: {
    ...list({ ...text, ...inHeader }),
    description: 'the parameters that a provider could not take',
  },
  fallbackProvider: {
    ...name,
    ...inHeader,
    description: 'the provider that served it as a fallback',
  },
  ignoresCancel: { const: true, description: 'it goes on when it is cancelled while it runs' },
  error: {
    ...name,
    description: 'it fails with this error_type, such as provider_error or rate_limited',
  },
  status: { type: 'integer', minimum: 400, maximum: 599, description: 'of that failure' },
  detail: { ...text, description: 'the text of that failure' },
  errors: {
    ...list(anyObject),
    description: 'the entries of a 422 for fields, each with loc, msg and type',
  },
  retryAfter: { ...count, description: 'the header Retry-After of that failure, in seconds' },
  upstreamStatus: {
    type: 'integer',
    minimum: 100,
    maximum: 599,
    description: 'what the provider answered: the call has reached it',
  },
  upstreamDetail: { ...name, ...inHeader, description: 'why a provider rejected the input' },
  refusalSubject: {
    ...name,
    ...inHeader,
    description: 'what a provider refused, such as input_image',
  },
  kept: {
    ...boolean,
    description:
      'whether its output exists although it fails, so that the same Idempotency-Key returns it (default: for deadline_exceeded with retryAfter)',
  },
})

export type ModelRule = Static<typeof modelRule>

export const rules = {
  ...chosen.hosted({
    'scenario/model-types':
      'The models of a scenario are part of the catalog of the Router; they replace others by id.',
    'scenario/model-choice':
      'Model rules apply by model, account, way, input and number; the first with a member decides.',
    'scenario/model-duration': 'A model rule sets how long a call waits and takes.',
    'scenario/model-never-ends':
      'A call that never ends has no timer but that of the deadline of a run.',
    'scenario/model-output':
      'A model rule sets the output of a call: JSON with places for files and inputs.',
    'scenario/model-file':
      'A model rule sets the bytes of an answer and its Content-Type, also to none or a wrong one.',
    'scenario/model-headers':
      'A model rule sets the price of a call, further headers, dropped parameters and the fallback.',
    'scenario/model-no-header':
      'A header that is null in a model rule is left out of the output of its call.',
    'scenario/model-error':
      'A failure of a model rule has its error_type, status, detail and Retry-After.',
    'scenario/model-error-time':
      'A failure before a provider comes immediately, one of a provider when the time is over.',
    'scenario/model-fields': 'A model rule with `errors` returns 422 with these entries.',
    'scenario/model-upstream':
      'What a provider answered stands in the headers and the body of its failure.',
    'scenario/model-kept':
      'A failure with `kept` loses the answer alone: the same key returns the output.',
    'scenario/model-ignores-cancel': 'A call that ignores a cancel has an output all the same.',
    'scenario/model-retired':
      'A model is retired from its day on: the catalog lacks it, and 404 names its successor.',
  }),
} as const satisfies Rules
