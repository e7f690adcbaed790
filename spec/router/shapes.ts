// Values that several shapes of the Router contain: ids of models and requests, and its two bodies of errors.

import {
  any,
  anyObject,
  anyOf,
  integer,
  list,
  object,
  optional,
  text,
  volatile,
} from '../schema.ts'

const segment = '[a-z0-9]+(?:[._-][a-z0-9]+)*'

/** The two parts of the id of a model, as paths have them. */
export const modelParts = {
  provider: { type: 'string', pattern: `^${segment}$`, maxLength: 64 },
  model: { type: 'string', pattern: `^${segment}$`, maxLength: 128 },
} as const

/** The id of a model: both parts, with a slash in between. */
export const modelIdPattern = `^${segment}/${segment}$`

/** The header of an idempotency key: printable ASCII. */
export const keyHeaders = {
  'Idempotency-Key': { type: 'string', pattern: '^[ -~]{1,255}$' },
} as const

/** The body of a refusal that is not about one field. */
export const routerError = object({
  detail: volatile(text),
  error_type: text,
  upstream_detail: optional(text),
  refusal_subject: optional(text),
})

/** The body of a refusal of the input: an entry for each field. */
export const routerFieldErrors = object({
  detail: list(
    object({
      loc: list(anyOf(text, integer)),
      msg: text,
      type: text,
      ctx: optional(anyObject),
      input: optional(any),
    }),
  ),
})

/** The header with the bucket of an error. */
export const ERROR_TYPE = 'X-Comfy-Error-Type'
/** The header with the id of a call, on every answer. */
export const REQUEST_ID = 'X-Comfy-Request-Id'
