// Access to the hosted API v2: bearer keys, the envelope of errors, idempotency keys.

import { hosted, type Rules } from '../language.ts'

/** The path below the prefix of hosted under which everything of the API is. */
export const v2Root = '/v2'

/** How long the server remembers an idempotency key, and the longest one. */
export const keyLimits = { hours: 24, characters: 255, kept: 10_000 } as const

/** The header that pages of every origin may send, beside those of the hosted API. */
export const v2Cors = {
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, Idempotency-Key, Range',
} as const

export const rules = {
  'v2-access/bearer': {
    says: 'Paths below /api/v2 take the key of an account as a bearer token.',
    basis: 'observed',
    source: 'published hosted API, 2026, v2; clients of hosted API v2: comfy-sdk 0.5.0',
    on: hosted,
  },
  'v2-access/bearer-refusal': {
    says: 'Without a known bearer key, each path below /api/v2 returns 401 unauthorized.',
    basis: 'observed',
    source: 'published hosted API, 2026, v2',
    on: hosted,
  },
  'v2-access/header-key': {
    says: 'X-API-Key is not a credential for paths below /api/v2.',
    basis: 'chosen',
    on: hosted,
  },
  'v2-access/free-tier': {
    says: 'A free account receives 403 forbidden on every path below /api/v2.',
    basis: 'chosen',
    on: hosted,
  },
  'v2-access/same-account': {
    says: 'Jobs of either hosted API are visible in the other one, under the same id.',
    basis: 'chosen',
    on: hosted,
  },
  'v2-access/cors': {
    says: 'Pages of every origin can send a bearer key and an Idempotency-Key.',
    basis: 'chosen',
    on: hosted,
  },
  'v2-access/errors': {
    says: 'Refusals below /api/v2 are an error object with code, message and details.',
    basis: 'observed',
    source: 'published hosted API, 2026, v2',
    on: hosted,
  },
  'v2-access/retry-after': {
    says: 'Each 429 below /api/v2 has a Retry-After in whole seconds.',
    basis: 'observed',
    source: 'published hosted API, 2026, v2',
    on: hosted,
  },
  'v2-access/unknown-path': {
    says: 'An unknown path below /api/v2 returns 404 not_found, another method 405 with Allow.',
    basis: 'chosen',
    on: hosted,
  },
  'v2-access/key-once': {
    says: 'An Idempotency-Key works once; a second use returns 422, whatever its body.',
    basis: 'observed',
    source: 'published hosted API, 2026, v2',
    on: hosted,
  },
  'v2-access/key-released': {
    says: 'A submit that is refused does not use up its Idempotency-Key.',
    basis: 'observed',
    source: 'published hosted API, 2026, v2',
    on: hosted,
  },
  'v2-access/key-held': {
    says: 'A submit whose answer is lost or a 5xx has used up its Idempotency-Key.',
    basis: 'observed',
    source: 'published hosted API, 2026, v2',
    on: hosted,
  },
  'v2-access/key-lifetime': {
    says: `An Idempotency-Key works again after ${keyLimits.hours} hours.`,
    basis: 'observed',
    source: 'published hosted API, 2026, v2',
    on: hosted,
  },
  'v2-access/key-form': {
    says: `An Idempotency-Key that is empty or longer than ${keyLimits.characters} returns 400.`,
    basis: 'observed',
    source: 'clients of hosted API v2: comfy-api-proxy 0.1.6',
    on: hosted,
  },
  'v2-access/key-scope': {
    says: 'Each account has its own Idempotency-Keys; jobs and uploads share them.',
    basis: 'chosen',
    on: hosted,
  },
} as const satisfies Rules
