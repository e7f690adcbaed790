// Access: the API key, the bearer token, the tiers of an account, the key for partner nodes.

import { both, hosted, local, type Rules } from '../language.ts'

/** The header that carries the API key on hosted. */
export const keyHeader = 'X-API-Key'

/** Hosted paths that need no key. */
export const publicPaths = ['/system_stats'] as const

/** Hosted paths, with everything below them, that are public in the published API (quirk `hosted.public-catalogues`). */
export const publishedPublicPaths = [
  '/experiment/models',
  '/extensions',
  '/features',
  '/global_subgraphs',
  '/node_replacements',
  '/workflow_templates',
] as const

/** Hosted paths, with everything below them, that require a paid tier. */
export const paidPaths = [
  '/object_info',
  '/queue',
  '/userdata',
  '/prompt',
  '/upload/image',
  '/upload/mask',
  '/view',
] as const

/** The tiers of a hosted account, and how many of its runs execute at a time; the others wait. */
export const tiers = {
  free: { runsAtATime: 1 },
  standard: { runsAtATime: 1 },
  creator: { runsAtATime: 3 },
  pro: { runsAtATime: 5 },
} as const

/** The most runs of a hosted account that wait, with the quirk `hosted.refuse-at-submit`. */
export const maxWaiting = 10

/** The price of a partner node, deducted from the balance of a hosted account each time the node runs. */
export const partnerNodeCost = 1

/** The names in `extra_data` under which partner nodes accept a key. */
export const partnerKeys = ['api_key_partner_org', 'api_key_comfy_org'] as const

/** The credentials for partner nodes in `extra_data`, keys and a token: no listing, history or file contains them. */
export const secretKeys = [...partnerKeys, 'auth_token_comfy_org'] as const

export const rules = {
  'access/local-without-key': {
    says: 'The local server serves requests without a credential, or with any.',
    basis: 'stated',
    on: local,
    carries: ['A17'],
  },
  'access/bearer-token': {
    says: 'A local server with a token accepts it as a bearer token or as the query parameter token.',
    basis: 'stated',
    on: local,
    carries: ['A17'],
  },
  'access/bearer-refusal': {
    says: 'Without the configured token, paths and the socket return 401 with WWW-Authenticate.',
    basis: 'chosen',
    on: local,
  },
  'access/bearer-options': {
    says: 'OPTIONS needs no token, because browsers send preflights without credentials.',
    basis: 'chosen',
    on: local,
  },
  'access/bearer-hidden': {
    says: 'The token appears in no reply and in no journal; the journal replays without it.',
    basis: 'chosen',
    on: local,
  },
  'access/hosted-key': {
    says: 'A hosted request sends its key in X-API-Key.',
    basis: 'stated',
    on: hosted,
    carries: ['A18', 'A116'],
  },
  'access/hosted-key-refusal': {
    says: 'Below /api every path returns 401 without a known key, except for OPTIONS and the public path.',
    basis: 'observed',
    source: 'published hosted API, 2026, access',
    on: hosted,
  },
  'access/hosted-socket-key': {
    says: 'The hosted socket accepts the key as the query parameter token and rejects others.',
    basis: 'stated',
    on: hosted,
    carries: ['A20'],
  },
  'access/hosted-public-statistics': {
    says: 'The hosted system statistics need no key.',
    basis: 'stated',
    on: hosted,
    carries: ['A103', 'A116'],
  },
  'access/free-tier-refusal': {
    says: 'A free account receives 403 on the seven paid paths and can use the others.',
    basis: 'stated',
    on: hosted,
    carries: ['A104', 'A105', 'A106', 'A107', 'A108', 'A109', 'A110', 'A117'],
  },
  'access/hosted-keys-of-one': {
    says: 'Every key of a hosted account has access to the same runs, files and messages.',
    basis: 'chosen',
    on: hosted,
  },
  'access/hosted-accounts-apart': {
    says: 'A hosted account cannot see the runs, files, messages or counts of another.',
    basis: 'observed',
    source: 'published hosted API, 2026, access',
    on: hosted,
  },
  'access/hosted-keys-hidden': {
    says: 'Replies and messages omit a key that was sent as a credential; other texts stay as stored.',
    basis: 'chosen',
    on: hosted,
  },
  'access/hosted-extra-data-keys': {
    says: 'The server drops extra_data members that equal a key of the account of 8 characters or more.',
    basis: 'chosen',
    on: hosted,
  },
  'access/journal-keys-hidden': {
    says: 'The journal redacts every known key of 8 characters or more, wherever it occurs.',
    basis: 'chosen',
    on: both,
  },
  'access/journal-keeps-texts': {
    says: 'The journal contains settings and user data as clients store them, unknown secrets included.',
    basis: 'chosen',
    on: both,
  },
  'access/journal-replays': {
    says: 'A journal replays, unless a known key is part of a file name or of a file.',
    basis: 'chosen',
    on: both,
  },
  'access/hosted-account-mistakes': {
    says: 'The server rejects unusable accounts before it starts, without printing a key.',
    basis: 'chosen',
    on: hosted,
  },
  'access/partner-node-cost': {
    says: `A hosted partner node deducts ${partnerNodeCost} from the balance when it runs, and nothing when it is cached.`,
    basis: 'chosen',
    on: hosted,
  },
  'access/partner-key-names': {
    says: 'A partner node accepts its key as api_key_partner_org or api_key_comfy_org.',
    basis: 'stated',
    on: both,
    carries: ['A32'],
  },
  'access/partner-token': {
    says: 'A partner node also accepts the token of a signed-in account, as auth_token_comfy_org.',
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
    says: 'Partner nodes reject the hosted API key in place of the partner key.',
    basis: 'stated',
    on: hosted,
    carries: ['A33'],
  },
  'access/partner-key-hidden': {
    says: 'No listing, job or file contains the extra_data values under the names of partner keys.',
    basis: 'chosen',
    on: both,
  },
} as const satisfies Rules
