// Access to the hosted API v2: bearer keys, the envelope of errors, idempotency keys.

import { type Rules, chosen, observedIn, observedAt } from '../language.ts'

/** The path below the prefix of hosted under which everything of the API is. */
export const v2Root = '/v2'

/** How long the server remembers an idempotency key, and the longest one. */
export const keyLimits = { hours: 24, characters: 255, kept: 10_000 } as const

/** The header that pages of every origin may send, beside those of the hosted API. */
export const v2Cors = {
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, Idempotency-Key, Range',
} as const

const observed = observedIn('v2')

export const rules = {
  ...observedAt('published hosted API, 2026, v2; clients of hosted API v2: comfy-sdk 0.5.0').hosted(
    { 'v2-access/bearer': 'Paths below /api/v2 take the key of an account as a bearer token.' },
  ),
  ...observed.hosted({
    'v2-access/bearer-refusal':
      'Without a known bearer key, each path below /api/v2 returns 401 unauthorized.',
    'v2-access/errors':
      'Refusals below /api/v2 are an error object with code, message and details.',
    'v2-access/retry-after': 'Each 429 below /api/v2 has a Retry-After in whole seconds.',
    'v2-access/key-once':
      'An Idempotency-Key works once; a second use returns 422, whatever its body.',
    'v2-access/key-released': 'A submit that is refused does not use up its Idempotency-Key.',
    'v2-access/key-held': 'A submit whose answer is lost or a 5xx has used up its Idempotency-Key.',
    'v2-access/key-lifetime': `An Idempotency-Key works again after ${keyLimits.hours} hours.`,
  }),
  ...observedAt('clients of hosted API v2: comfy-api-proxy 0.1.6').hosted({
    'v2-access/key-form': `An Idempotency-Key that is empty or longer than ${keyLimits.characters} returns 400.`,
  }),
  ...chosen.hosted({
    'v2-access/header-key': 'X-API-Key is not a credential for paths below /api/v2.',
    'v2-access/free-tier': 'A free account receives 403 forbidden on every path below /api/v2.',
    'v2-access/same-account':
      'Jobs of either hosted API are visible in the other one, under the same id.',
    'v2-access/cors': 'Pages of every origin can send a bearer key and an Idempotency-Key.',
    'v2-access/unknown-path':
      'An unknown path below /api/v2 returns 404 not_found, another method 405 with Allow.',
    'v2-access/key-scope':
      'Each account has its own Idempotency-Keys; jobs and uploads share them.',
  }),
} as const satisfies Rules
