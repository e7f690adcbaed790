// Wrong hosted servers that let the wrong clients in, or show one account to another.

import { answers, each, everyone, type Mutants, onReply, redirected } from './tamper.ts'

const anything = /./

/** Answers with one status instead of another. */
const confused = (from: number, to: number, asked = anything) =>
  onReply(asked, ({ status }) => ({ status: status === from ? to : status }))

export const hostedAccess: Mutants = {
  'hosted-takes-no-key': { breaks: ['access/hosted-key'], tamper: answers(/^GET \/api\/f/, 401) },
  'hosted-needs-no-key': {
    breaks: ['access/hosted-key-refusal', 'access/hosted-key'],
    tamper: onReply(anything, ({ status }) => ({ status: status === 401 ? 200 : 401 })),
  },
  'hosted-looks-at-the-path-first': {
    breaks: ['access/hosted-key-refusal'],
    tamper: confused(401, 404, /nowhere/),
  },
  'statistics-need-a-key': {
    breaks: ['access/hosted-public-statistics'],
    tamper: onReply(/system_stats/, ({ status }, { headers }) => ({
      status: headers['x-api-key'] === 'test-key' ? status : 401,
    })),
  },
  'free-tier-passes': {
    breaks: ['access/free-tier-refusal'],
    tamper: confused(403, 200),
  },
  'free-tier-passes-below': {
    breaks: ['access/free-tier-refusal'],
    tamper: confused(403, 200, /\/x\/y/),
  },
  'free-tier-reads': {
    breaks: ['access/free-tier-refusal'],
    tamper: confused(403, 200, /^HEAD/),
  },
  'free-tier-is-402': {
    breaks: ['access/free-tier-refusal'],
    options: { quirk: ['hosted.free-tier-402'] },
  },
  'free-tier-comes-first': {
    breaks: ['access/free-tier-refusal'],
    tamper: confused(401, 403),
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
  'socket-requires-the-client-first': {
    breaks: ['deployments/hosted-socket'],
    tamper: each((effect, input) =>
      effect.kind === 'accept' && 'target' in input && input.target.startsWith('/ws?token')
        ? [{ kind: 'refuse', socket: effect.socket, status: 400, headers: {}, body: '' }]
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
