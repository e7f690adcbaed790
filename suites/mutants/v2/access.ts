// Wrong hosted servers that break rules of access to the hosted API v2.

import { anything, submit, read, upload, confused, textIn } from './paths.ts'
import { answers, onJson, onReply, without, type Mutants, type Reply } from '../tamper.ts'

/** Replies like the first request of all with the same Idempotency-Key. */
const keysReplay = () => {
  const first = new Map<string, Reply>()
  return onReply(submit, (reply, { headers }) => {
    const key = headers['idempotency-key'] ?? ''
    const { status, body } = first.get(key) ?? reply
    if (!first.has(key)) first.set(key, reply)
    return { status, body }
  })()
}

export const access: Mutants = {
  'takes-no-bearer': { breaks: ['v2-access/bearer'], tamper: answers(anything, 401) },
  'takes-header-keys': {
    breaks: ['v2-access/header-key'],
    tamper: onReply(anything, ({ status }, { headers }) => ({
      status: headers['x-api-key'] === undefined ? status : 404,
    })),
  },
  'needs-no-key': { breaks: ['v2-access/bearer-refusal'], tamper: confused(anything, 401, 200) },
  'free-accounts-pass': { breaks: ['v2-access/free-tier'], tamper: confused(anything, 403, 404) },
  'errors-are-flat': {
    breaks: ['v2-access/errors', 'v2-access/bearer-refusal'],
    tamper: onJson(anything, (body) => body.error ?? body),
  },
  'waits-without-end': {
    breaks: ['v2-access/retry-after'],
    tamper: onReply(anything, ({ headers }) => ({ headers: without(headers, 'Retry-After') })),
  },
  'unknown-paths-are-empty': {
    breaks: ['v2-access/unknown-path'],
    tamper: answers(/\/nowhere/, 200),
  },
  'jobs-are-apart': {
    breaks: ['v2-access/same-account'],
    tamper: answers(read, 404),
  },
  'keys-replay': { breaks: ['v2-access/key-once', 'v2-access/key-released'], tamper: keysReplay },
  'keys-are-ignored': {
    breaks: ['v2-access/key-once', 'v2-access/key-held', 'v2-access/key-lifetime'],
    tamper: onReply(submit, ({ body }) =>
      textIn(body).includes('idempotency_key_reuse') ? { status: 201, body: '{}' } : {},
    ),
  },
  'keys-have-any-length': { breaks: ['v2-access/key-form'], tamper: confused(submit, 400, 201) },
  'uploads-ignore-keys': { breaks: ['v2-access/key-scope'], tamper: confused(upload, 422, 201) },
}
