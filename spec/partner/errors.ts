// The refusals of the proxy to partners: a word and a sentence.

import type { Refusals } from '../language.ts'
import { coded } from '../refusal.ts'
import { object, text } from '../schema.ts'

/** The body of a refusal. */
export const partnerError = object({ error: text, message: text })

const refusal = coded((error, message) => ({ json: { error, message } }))

export const partnerRefusals = {
  badRequest: refusal(400, 'A body or a parameter that is not valid.', {
    BAD_REQUEST: '{reason}',
  }),
  unauthorized: refusal(401, 'The request carries no known key.', {
    UNAUTHORIZED: 'A valid API key is required, as X-API-Key or as a bearer token.',
  }),
  insufficientFunds: refusal(402, 'The balance of the account is below the price.', {
    INSUFFICIENT_FUNDS: 'This costs {price} credits, and the balance is {balance}.',
  }),
  notFound: refusal(404, 'An unknown path, or a task that the account does not have.', {
    NOT_FOUND: 'Not found.',
  }),
  methodNotAllowed: refusal(405, 'A path with a method that it does not support.', {
    METHOD_NOT_ALLOWED: 'Method not allowed.',
  }),
  tooLarge: refusal(413, 'A request body or the stored files exceed their limit.', {
    PAYLOAD_TOO_LARGE: 'The limit is {limit} bytes.',
  }),
} as const satisfies Refusals
