// Access: the API key, the bearer token, the tiers of an account, the key for partner nodes.

import { type Rules, chosen, stated, observedIn } from '../language.ts'

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

const observed = observedIn('access')

export const rules = {
  ...stated.local({
    'access/local-without-key':
      'The local server serves requests without a credential, or with any. [A17]',
    'access/bearer-token':
      'A local server with a token accepts it as a bearer token or as the query parameter token. [A17]',
  }),
  ...stated.hosted({
    'access/hosted-key': 'A hosted request sends its key in X-API-Key. [A18 A116]',
  }),
  ...observed.hosted({
    'access/hosted-key-refusal':
      'Below /api every path returns 401 without a known key, except for OPTIONS and the public path.',
  }),
  ...stated.hosted({
    'access/hosted-socket-key':
      'The hosted socket accepts the key as the query parameter token and rejects others. [A20]',
    'access/hosted-public-statistics': 'The hosted system statistics need no key. [A103 A116]',
    'access/free-tier-refusal':
      'A free account receives 403 on the seven paid paths and can use the others. [A104 A105 A106 A107 A108 A109 A110 A117]',
  }),
  ...observed.hosted({
    'access/hosted-accounts-apart':
      'A hosted account cannot see the runs, files, messages or counts of another.',
  }),
  ...stated.both({
    'access/partner-key-names':
      'A partner node accepts its key as api_key_partner_org or api_key_comfy_org. [A32]',
  }),
  ...observed.both({
    'access/partner-token':
      'A partner node also accepts the token of a signed-in account, as auth_token_comfy_org.',
    'access/partner-key-missing':
      'A partner node without its key fails the accepted run at that node.',
  }),
  ...stated.hosted({
    'access/partner-key-is-its-own':
      'Partner nodes reject the hosted API key in place of the partner key. [A33]',
  }),
  ...chosen.local({
    'access/bearer-refusal':
      'Without the configured token, paths and the socket return 401 with WWW-Authenticate.',
    'access/bearer-options':
      'OPTIONS needs no token, because browsers send preflights without credentials.',
    'access/bearer-hidden':
      'The token appears in no reply and in no journal; the journal replays without it.',
  }),
  ...chosen.hosted({
    'access/hosted-keys-of-one':
      'Every key of a hosted account has access to the same runs, files and messages.',
    'access/hosted-keys-hidden':
      'Replies and messages omit a key that was sent as a credential; other texts stay as stored.',
    'access/hosted-extra-data-keys':
      'The server drops extra_data members that equal a key of the account of 8 characters or more.',
  }),
  ...chosen.both({
    'access/journal-keys-hidden':
      'The journal redacts every known key of 8 characters or more, wherever it occurs.',
    'access/journal-keeps-texts':
      'The journal contains settings and user data as clients store them, unknown secrets included.',
    'access/journal-replays':
      'A journal replays, unless a known key is part of a file name or of a file.',
  }),
  ...chosen.hosted({
    'access/hosted-account-mistakes':
      'The server rejects unusable accounts before it starts, without printing a key.',
    'access/partner-node-cost': `A hosted partner node deducts ${partnerNodeCost} from the balance when it runs, and nothing when it is cached.`,
  }),
  ...chosen.both({
    'access/partner-key-hidden':
      'No listing, job or file contains the extra_data values under the names of partner keys.',
  }),
} as const satisfies Rules
