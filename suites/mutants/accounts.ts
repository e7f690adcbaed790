// Wrong hosted servers: in what they disclose, how runs fail, and what a submit changes.

import { hostedAccess } from './hosted-access.ts'
import {
  delayed,
  dropped,
  everyone,
  mapped,
  type Mutants,
  onData,
  onJson,
  onReply,
  redirected,
  textOf,
  without,
} from './tamper.ts'

const submitted = /^POST \/api\/prompt/

const firstOnly = (sockets: readonly number[]): readonly number[] => sockets.slice(0, 1)

const messages: Mutants = {
  'notification-never': {
    breaks: ['messages/notification', 'messages/hosted-one-notification'],
    tamper: dropped('notification'),
  },
  'notification-late': {
    breaks: ['messages/notification', 'messages/hosted-one-notification'],
    tamper: delayed('notification', 'execution_cached'),
  },
  'notification-empty': {
    breaks: ['messages/notification'],
    tamper: onData('notification', (data) => ({ ...data, value: '' })),
  },
  'notification-nameless': {
    breaks: ['messages/hosted-names-run'],
    tamper: onData('notification', (data) => without(data, 'prompt_id')),
  },
  'steps-nameless': {
    breaks: ['messages/hosted-names-run'],
    tamper: onData('progress', (data) => without(data, 'prompt_id')),
  },
  'reconnect-nameless': {
    breaks: ['messages/hosted-names-run', 'messages/hosted-reconnect'],
    tamper: () => (effects, input) =>
      input.kind === 'open'
        ? onData('executing', ({ node }) => ({ node }))()(effects, input)
        : effects,
  },
  'one-connection-receives': {
    breaks: ['messages/hosted-all-connections'],
    tamper: redirected('executing', firstOnly),
  },
  'client-id-decides': {
    breaks: ['messages/hosted-all-connections'],
    tamper: redirected('executed', (sockets, open) =>
      sockets.filter((socket) => open.get(socket)?.includes('clientId')),
    ),
  },
  'hosted-null': {
    breaks: ['messages/hosted-no-executing-null', 'messages/order'],
    options: { quirk: ['hosted.executing-null'] },
  },
  'client-chooses-sid': {
    breaks: ['messages/hosted-sid'],
    tamper: onData('status', (data) => ('sid' in data ? { ...data, sid: 'me' } : data)),
  },
  'node-types-missing': {
    breaks: ['messages/hosted-node-types'],
    tamper: onData('progress_state', ({ nodes, ...rest }) => ({
      ...rest,
      nodes: mapped(nodes, (node) => without(node, 'class_type')),
    })),
  },
  'previews-for-all': {
    breaks: ['messages/hosted-previews'],
    tamper: redirected('frame', everyone),
  },
}

const word = (exception_type: string) =>
  onData('execution_error', (data) => ({ ...data, exception_type }))

const runs: Mutants = {
  'words-are-python': {
    breaks: [
      'runs/exception-words',
      'runs/other-failures',
      'runs/account-failures',
      'runs/validation-error',
      'runs/model-download-error',
      'runs/image-download-error',
      'runs/oom-error',
      'runs/insufficient-funds-error',
      'runs/inactive-subscription-error',
    ],
    tamper: word('RuntimeError'),
  },
  'all-is-out-of-memory': {
    breaks: [
      'runs/exception-words',
      'runs/validation-error',
      'runs/model-download-error',
      'runs/image-download-error',
    ],
    tamper: word('OOMError'),
  },
  'details-are-missing': {
    breaks: ['runs/validation-details'],
    tamper: onData('execution_error', (data) => without(data, 'node_errors')),
  },
  'fails-before-its-start': {
    breaks: ['runs/failure-after-start'],
    tamper: delayed('execution_start', 'execution_error'),
  },
  'fails-at-submit': {
    breaks: [
      'runs/failure-after-start',
      'runs/account-failures',
      'runs/inactive-subscription-error',
      'runs/insufficient-funds-error',
    ],
    options: { quirk: ['hosted.refuse-at-submit'] },
  },
  'scenario-is-ignored': {
    breaks: ['runs/scenario-failures', 'runs/scenario-first'],
    options: { failures: [] },
  },
  'scenario-hits-all': {
    breaks: ['runs/scenario-failures', 'runs/scenario-first'],
    options: { failures: [{ exception_type: 'OOMError' }] },
  },
}

const workflows: Mutants = {
  'hosted-reads-client-id': {
    breaks: ['workflows/hosted-client-id'],
    tamper: onReply(submitted, ({ status }, request) => ({
      status: textOf(request).includes('"client_id":7') ? 400 : status,
    })),
  },
  'hosted-takes-own-id': {
    breaks: ['workflows/hosted-own-id'],
    tamper: onJson(submitted, (reply) => ({ ...reply, prompt_id: 'mine' })),
  },
  'hosted-counts-from-one': {
    breaks: ['workflows/hosted-number'],
    tamper: onJson(submitted, (reply) => ({ ...reply, number: reply.number + 1 })),
  },
  'hosted-takes-any-extra-data': {
    breaks: ['workflows/hosted-unreadable'],
    tamper: onReply(submitted, ({ status }, request) => ({
      status: textOf(request).includes('"extra_data":5') ? 200 : status,
    })),
  },
  'hosted-refuses-without-words': {
    breaks: ['workflows/hosted-unreadable'],
    tamper: onReply(submitted, ({ status, body }) => ({ body: status === 400 ? '{}' : body })),
  },
}

export const accounts: Mutants = { ...hostedAccess, ...messages, ...runs, ...workflows }
