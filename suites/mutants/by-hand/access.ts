// Wrong servers that are at another address, let the wrong clients in, or show one account to another.

import {
  answers,
  type Mutants,
  onData,
  onReply,
  onText,
  each,
  everyone,
  redirected,
} from '../tamper.ts'

const anything = /./
const jsonType = { 'Content-Type': 'application/json; charset=utf-8' }
const notFound = { status: 404, headers: jsonType, body: '{"code":"NOT_FOUND","message":"x"}' }

/** Answers with one status instead of another. */
const confused = (from: number, to: number, asked = anything) =>
  onReply(asked, ({ status }) => ({ status: status === from ? to : status }))

export const deployments: Mutants = {
  'listens-everywhere': { breaks: ['deployments/local-address'], options: { host: '0.0.0.0' } },
  'needs-prefix': {
    breaks: ['deployments/local-prefix'],
    tamper: answers(/^GET \/(queue|models)$/, 404),
  },
  'socket-renames-client': {
    breaks: ['deployments/local-socket', 'messages/sid'],
    tamper: onData('status', (data) => ('sid' in data ? { ...data, sid: 'client' } : data)),
  },
  'plain-http': {
    breaks: ['deployments/hosted-address', 'deployments/certificate'],
    options: { tlsCert: null, tlsKey: null },
  },
  'prefix-lacks-a-path': {
    breaks: ['deployments/hosted-prefix'],
    tamper: onReply(/^GET \/api\/settings$/, () => notFound),
  },
  'serves-without-prefix': {
    breaks: ['deployments/hosted-unprefixed'],
    tamper: answers(/^GET \/queue/, 200),
  },
  'serves-the-manager': {
    breaks: ['deployments/hosted-unprefixed'],
    tamper: answers(/^GET \/manager/, 200),
  },
  'socket-below-api': {
    breaks: ['deployments/hosted-unprefixed'],
    tamper: answers(/^GET \/api\/ws/, 426),
  },
  'models-not-renamed': {
    breaks: ['deployments/hosted-models-renamed', 'catalog/model-folders', 'catalog/hosted-models'],
    tamper: onReply(/^GET \/api\/experiment\/models/, () => notFound),
  },
  'old-models-stay': {
    breaks: ['deployments/hosted-old-models'],
    tamper: answers(/^GET \/api\/models/, 200),
  },
  'serves-what-local-has': {
    breaks: ['deployments/paths-of-local'],
    tamper: answers(/^GET \/api\/i18n/, 200),
  },
  'local-serves-what-hosted-has': {
    breaks: ['deployments/paths-of-hosted'],
    tamper: answers(/^GET \/history_v2/, 200),
  },
  'alias-serves-what-hosted-has': {
    breaks: ['deployments/paths-of-hosted'],
    tamper: answers(/^GET \/api\/history_v2/, 200),
  },
  'socket-requires-the-client-first': {
    breaks: ['deployments/hosted-socket'],
    tamper: each((effect, input) =>
      effect.kind === 'accept' && 'target' in input && input.target.startsWith('/ws?token')
        ? [{ kind: 'refuse', socket: effect.socket, status: 400, headers: {}, body: '' }]
        : [effect],
    ),
  },
}

export const access: Mutants = {
  'asks-for-a-key': {
    breaks: ['access/local-without-key', 'access/bearer-token'],
    tamper: answers(/^GET \/queue$/, 401),
  },
  'refuses-unknown-token': {
    breaks: ['access/local-without-key'],
    tamper: answers(/token=nonsense/, 401),
  },
  'token-is-refused-in-query': {
    breaks: ['access/bearer-token'],
    tamper: answers(/[?&]token=tok/, 401),
  },
  'takes-no-partner-key': {
    breaks: ['access/partner-key-names'],
    tamper: onText(/^GET \/history/, '"status_str": "success"', '"status_str": "error"'),
  },
  'asks-for-no-partner-key': {
    breaks: ['access/partner-key-names', 'access/partner-key-missing'],
    tamper: onText(/^GET \/history/, '"status_str": "error"', '"status_str": "success"'),
  },
  'partner-key-is-another-error': {
    breaks: ['access/partner-key-missing'],
    tamper: onData('execution_error', (data) => ({ ...data, node_type: 'LoadImage' })),
  },
  'shows-partner-key-in-history': {
    breaks: ['access/partner-key-hidden'],
    tamper: onText(/^GET \/history/, '"extra_pnginfo"', '"api_key_comfy_org": "", "extra_pnginfo"'),
  },
  'hosted-takes-no-key': { breaks: ['access/hosted-key'], tamper: answers(/^GET \/api\/f/, 401) },
  'hosted-needs-no-key': {
    breaks: ['access/hosted-key-refusal', 'access/hosted-key'],
    tamper: onReply(anything, ({ status }) => ({ status: status === 401 ? 200 : 401 })),
  },
  'statistics-need-a-key': {
    breaks: ['access/hosted-public-statistics'],
    tamper: onReply(/system_stats/, ({ status }, { headers }) => ({
      status: headers['x-api-key'] === 'test-key' ? status : 401,
    })),
  },
  'free-tier-passes-below': {
    breaks: ['access/free-tier-refusal'],
    tamper: confused(403, 200, /\/x\/y/),
  },
  'free-tier-reads': {
    breaks: ['access/free-tier-refusal'],
    tamper: confused(403, 200, /^HEAD/),
  },
  'free-tier-is-refused-all': {
    breaks: ['access/free-tier-refusal'],
    tamper: answers(/features/, 403),
  },
  'key-in-capitals-passes': {
    breaks: ['access/hosted-key-refusal'],
    tamper: onReply(anything, ({ status }, { headers }) =>
      status === 401 && /[A-Z]/.test(headers['x-api-key'] ?? '') ? { status: 200, body: '{}' } : {},
    ),
  },
  'socket-takes-keys-with-a-tail': {
    breaks: ['access/hosted-socket-key'],
    tamper: each((effect, input) =>
      effect.kind === 'refuse' && 'target' in input && /token=test-key./.test(input.target)
        ? [{ kind: 'accept', socket: effect.socket }]
        : [effect],
    ),
  },
  'socket-refuses-with-403': {
    breaks: ['access/hosted-socket-key'],
    tamper: each((effect) => (effect.kind === 'refuse' ? [{ ...effect, status: 403 }] : [effect])),
  },
  'socket-refuses-free-accounts': {
    breaks: ['access/hosted-socket-key', 'access/free-tier-refusal'],
    tamper: each((effect, input) =>
      effect.kind === 'accept' && 'target' in input && input.target.includes('free')
        ? [{ kind: 'refuse', socket: effect.socket, status: 401, headers: {}, body: '' }]
        : [effect],
    ),
  },
  'accounts-receive-from-each-other': {
    breaks: ['access/hosted-accounts-apart', 'access/hosted-keys-of-one', 'messages/hosted-status'],
    tamper: redirected('status', everyone),
  },
  'accounts-are-notified-of-success': {
    breaks: ['access/hosted-accounts-apart'],
    tamper: redirected('execution_success', everyone),
  },
  'api-key-pays-partners': {
    breaks: ['access/partner-key-is-its-own'],
    options: { quirk: ['hosted.partner-key-is-api-key'] },
  },
  'partner-nodes-are-free': {
    breaks: ['access/partner-node-cost', 'runs/insufficient-funds-error'],
    options: {
      accounts: [
        {
          user: 'me',
          keys: ['test-key'],
          tier: 'pro',
          balance: 1000,
          subscription: 'active',
          partnerKey: 'own',
          failsWith: null,
        },
      ],
    },
  },
}
