// Values that several shapes of the hosted API v2 contain.

import { text, volatile } from '../schema.ts'
/** An id: another one in each session. */
export const id = volatile(text)

const dateTime = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$'

/** A time with its zone. */
export const time = { type: 'string', pattern: dateTime, volatile: true } as const
export const timeOrNull = { type: ['string', 'null'], pattern: dateTime, volatile: true } as const

/** The header of an idempotency key, on requests that make something. */
export const keyHeaders = {
  'Idempotency-Key': { type: 'string', minLength: 1, maxLength: 255 },
} as const

/** The hash of a content as texts contain it. */
export const hashPattern = '^blake3:[0-9a-f]{64}$'
