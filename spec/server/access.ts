// Who is let in: the API key, the bearer token, the tiers of an account, the key for partner nodes.

import { both, hosted, local, type Rules } from '../language.ts'

/** The header that carries the API key on hosted. */
export const keyHeader = 'X-API-Key'

/** Hosted paths that are readable without a key. */
export const publicPaths = ['/system_stats'] as const

/** Hosted paths, with all below them, that the published API has public as well (quirk `hosted.public-catalogues`). */
export const publishedPublicPaths = [
  '/experiment/models',
  '/extensions',
  '/features',
  '/global_subgraphs',
  '/node_replacements',
  '/workflow_templates',
] as const

/** Hosted paths, with all below them, that need a paid tier. */
export const paidPaths = [
  '/object_info',
  '/queue',
  '/userdata',
  '/prompt',
  '/upload/image',
  '/upload/mask',
  '/view',
] as const

/** The tiers of a hosted account, and how many of its runs are executed at a time; the others wait. */
export const tiers = {
  free: { runsAtATime: 1 },
  standard: { runsAtATime: 1 },
  creator: { runsAtATime: 3 },
  pro: { runsAtATime: 5 },
} as const

/** So many runs of a hosted account wait at most, with the quirk `hosted.refuse-at-submit`. */
export const maxWaiting = 10

/** What a partner node takes from the balance of a hosted account each time it runs. */
export const partnerNodeCost = 1

/** The names in `extra_data` under which a key for partner nodes is accepted. */
export const partnerKeys = ['api_key_partner_org', 'api_key_comfy_org'] as const

/** The credentials for partner nodes in `extra_data`, keys and a token: no listing, history or file shows them. */
export const secretKeys = [...partnerKeys, 'auth_token_comfy_org'] as const

export const rules = {
  'access/local-without-key': {
    says: 'The local server answers requests without a credential, or with any.',
    basis: 'stated',
    on: local,
    carries: ['A17'],
  },
  'access/bearer-token': {
    says: 'A local server with a token takes it as a bearer token or as the query token.',
    basis: 'stated',
    on: local,
    carries: ['A17'],
  },
  'access/bearer-refusal': {
    says: 'Without the configured token, paths and the socket answer 401 and WWW-Authenticate.',
    basis: 'chosen',
    on: local,
  },
  'access/bearer-options': {
    says: 'OPTIONS needs no token, since a browser asks for leave without one.',
    basis: 'chosen',
    on: local,
  },
  'access/bearer-hidden': {
    says: 'The token shows in no reply and in no journal, which replays without it.',
    basis: 'chosen',
    on: local,
  },
  'access/hosted-key': {
    says: 'A hosted request carries its key in X-API-Key.',
    basis: 'stated',
    on: hosted,
    carries: ['A18', 'A116'],
  },
  'access/hosted-key-refusal': {
    says: 'Below /api all but OPTIONS and the public path answers 401 without a known key, paid or not.',
    basis: 'observed',
    source: 'published hosted API, 2026, access',
    on: hosted,
  },
  'access/hosted-socket-key': {
    says: 'The hosted socket takes the key as the query token and refuses others.',
    basis: 'stated',
    on: hosted,
    carries: ['A20'],
  },
  'access/hosted-public-statistics': {
    says: 'The hosted system statistics answer without a key.',
    basis: 'stated',
    on: hosted,
    carries: ['A103', 'A116'],
  },
  'access/free-tier-refusal': {
    says: 'A free account is answered 403 on the seven paid paths and served on the others.',
    basis: 'stated',
    on: hosted,
    carries: ['A104', 'A105', 'A106', 'A107', 'A108', 'A109', 'A110', 'A117'],
  },
  'access/hosted-keys-of-one': {
    says: 'Each key of a hosted account leads to the same runs, files and messages.',
    basis: 'chosen',
    on: hosted,
  },
  'access/hosted-accounts-apart': {
    says: 'No hosted account sees runs, files, messages or counts of another.',
    basis: 'observed',
    source: 'published hosted API, 2026, access',
    on: hosted,
  },
  'access/hosted-keys-hidden': {
    says: 'No reply or message tells a key that came as one; other texts come back as stored.',
    basis: 'chosen',
    on: hosted,
  },
  'access/hosted-extra-data-keys': {
    says: 'Members of extra_data that are a key of the account, 8 characters or more, are dropped.',
    basis: 'chosen',
    on: hosted,
  },
  'access/journal-keys-hidden': {
    says: 'The journal tells no known key of 8 characters or more, wherever it stands.',
    basis: 'chosen',
    on: both,
  },
  'access/journal-replays': {
    says: 'A journal replays, unless a known key has named a file or was in an uploaded one.',
    basis: 'chosen',
    on: both,
  },
  'access/hosted-account-mistakes': {
    says: 'Accounts that cannot be used are refused before a server starts, without telling a key.',
    basis: 'chosen',
    on: hosted,
  },
  'access/partner-node-cost': {
    says: `A hosted partner node takes ${partnerNodeCost} from the balance when it runs, a cached one nothing.`,
    basis: 'chosen',
    on: hosted,
  },
  'access/partner-key-names': {
    says: 'A partner node takes its key as api_key_partner_org or api_key_comfy_org.',
    basis: 'stated',
    on: both,
    carries: ['A32'],
  },
  'access/partner-token': {
    says: 'A partner node also takes the token of a signed-in account, as auth_token_comfy_org.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: access',
    on: both,
  },
  'access/partner-key-missing': {
    says: 'A partner node without its key fails the accepted run at that node.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: access',
    on: both,
  },
  'access/partner-key-is-its-own': {
    says: 'The hosted API key in the place of the partner key is refused by partner nodes.',
    basis: 'stated',
    on: hosted,
    carries: ['A33'],
  },
  'access/partner-key-hidden': {
    says: 'No listing, job or file shows what extra_data has under the name of a partner key.',
    basis: 'chosen',
    on: both,
  },
} as const satisfies Rules
