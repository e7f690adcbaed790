// Wrong hosted servers that break rules of the hosted API v2.

import {
  answers,
  onJson,
  onReply,
  without,
  type Maker,
  type Mutants,
  type Reply,
  onText,
  each,
} from '../tamper.ts'
import type { Effect } from 'flowdouble'

const anything = /^\w+ \/api\/v2\//

/** A body as text; empty for other bodies. */
const textIn = (body: Reply['body']): string => (typeof body === 'string' ? body : '')

/** Replies like the first request of all with the same Idempotency-Key. */
const keysReplay: Maker = (deployment) => {
  const first = new Map<string, Reply>()
  return onReply('v2Submit', (reply, { headers }) => {
    const key = headers['idempotency-key'] ?? ''
    const { status, body } = first.get(key) ?? reply
    if (!first.has(key)) first.set(key, reply)
    return { status, body }
  })(deployment)
}

/** Changes what streams send, from their beginning on. */
const onStream = (change: (text: string) => string) =>
  each((effect: Effect) => {
    if (effect.kind === 'chunk') return [{ ...effect, text: change(effect.text) }]
    const isStream =
      effect.kind === 'reply' && effect.headers['Content-Type'] === 'text/event-stream'
    return isStream ? [{ ...effect, body: change(textIn(effect.body)) }] : [effect]
  })

/** Streams without the events of this name. */
const withoutEvents = (name: string) =>
  onStream((text) => text.replace(new RegExp(`event: ${name}\ndata: .*\n\n`, 'g'), ''))

export const v2Access: Mutants = {
  'takes-no-bearer': { breaks: ['v2-access/bearer'], tamper: answers(anything, 401) },
  'takes-header-keys': {
    breaks: ['v2-access/header-key'],
    tamper: onReply(anything, ({ status }, { headers }) => ({
      status: headers['x-api-key'] === undefined ? status : 404,
    })),
  },
  'errors-are-flat': {
    breaks: ['v2-access/errors', 'v2-access/bearer-refusal'],
    tamper: onJson(anything, (body) => body.error ?? body),
  },
  'jobs-are-apart': {
    breaks: ['v2-access/same-account'],
    tamper: answers('v2Job', 404),
  },
  'keys-replay': { breaks: ['v2-access/key-once', 'v2-access/key-released'], tamper: keysReplay },
  'keys-are-ignored': {
    breaks: ['v2-access/key-once', 'v2-access/key-held', 'v2-access/key-lifetime'],
    tamper: onReply('v2Submit', ({ body }) =>
      textIn(body).includes('idempotency_key_reuse') ? { status: 201, body: '{}' } : {},
    ),
  },
}

export const v2Jobs: Mutants = {
  'times-have-no-zone': {
    breaks: ['v2-jobs/times', 'v2-jobs/created'],
    tamper: onText(/\/v2\/jobs/, /Z"/g, '"'),
  },
  'expires-in-an-hour': {
    breaks: ['v2-jobs/lifetime'],
    tamper: onJson('v2Job', (body) => ({
      ...body,
      expires_at: body.completed_at ?? body.expires_at,
    })),
  },
  'canceled-has-two-ls': {
    breaks: ['v2-jobs/states', 'v2-jobs/cancel-running'],
    tamper: onText('v2Job', '"canceled"', '"cancelled"'),
  },
  'ends-do-not-stay': {
    breaks: ['v2-jobs/final'],
    tamper: (deployment) => {
      const seen = new Set<string>()
      return onJson('v2Job', (body) => {
        const isAgain = body.completed_at !== null && seen.has(body.id)
        if (body.completed_at !== null) seen.add(body.id)
        return isAgain ? { ...body, status: 'expired' } : body
      })(deployment)
    },
  },
  'progress-is-done': {
    breaks: ['v2-jobs/progress'],
    tamper: onText('v2Job', /"value":[\d.]+/, '"value":1'),
  },
  'outputs-come-at-the-end': {
    breaks: ['v2-jobs/outputs-so-far'],
    tamper: onJson('v2Job', (body) =>
      body.completed_at === null ? { ...body, outputs: [] } : body,
    ),
  },
  'outputs-are-not-read': {
    breaks: ['v2-streams/not-ahead', 'v2-jobs/outputs'],
    tamper: onJson('v2Job', (body) => ({ ...body, outputs: [] })),
  },
  'errors-have-no-node': {
    breaks: ['v2-jobs/error'],
    tamper: onJson('v2Job', ({ error, ...body }) => ({
      ...body,
      error: error && { ...error, node_id: null },
    })),
  },
  'bad-graphs-have-no-reason': {
    breaks: ['v2-jobs/bad-graph'],
    tamper: onJson('v2Submit', (body) =>
      'error' in body ? { error: { ...body.error, details: null } } : body,
    ),
  },
  'other-members-are-refused': {
    breaks: ['v2-jobs/other-members'],
    tamper: onReply('v2Submit', (_, { body }) =>
      Buffer.from(body).includes('"priority"') ? { status: 422 } : {},
    ),
  },
  'labels-are-lost': {
    breaks: ['v2-jobs/labels'],
    tamper: onJson('v2Job', (body) => ({ ...body, metadata: {} })),
  },
  'list-is-oldest-first': {
    breaks: ['v2-jobs/listing', 'v2-jobs/listing-filters'],
    tamper: onJson('v2Jobs', (body) => ({ ...body, jobs: body.jobs?.toReversed() })),
  },
  'list-ends-early': {
    breaks: ['v2-jobs/listing'],
    tamper: onJson('v2Jobs', (body) => without(body, 'next_cursor')),
  },
}

export const v2Streams: Mutants = {
  'events-have-ids': {
    breaks: ['v2-streams/form'],
    tamper: onStream((text) => text.replaceAll('event:', 'id: 1\nevent:')),
  },
  'begins-without-a-status': {
    breaks: ['v2-streams/snapshot', 'v2-streams/reconnect'],
    tamper: onReply('v2Events', ({ body }) => ({
      body: textIn(body).replace(/^event: status\ndata: .*\n\n/, ''),
    })),
  },
  'transitions-are-silent': {
    breaks: ['v2-streams/transitions'],
    tamper: onStream((text) => text.replace(/event: status\ndata: {"status":"running"}\n\n/, '')),
  },
  'outputs-are-missing': {
    breaks: ['v2-streams/outputs-first', 'v2-streams/of-the-past'],
    tamper: withoutEvents('output'),
  },
  'outputs-follow-the-end': {
    breaks: ['v2-streams/outputs-first'],
    tamper: onStream((text) => {
      const [, before = '', last = ''] =
        /^(.*)(event: status\ndata: {"status":"succeeded"}\n\n)$/s.exec(text) ?? []
      return last === '' ? text : last + before
    }),
  },
  'progress-is-partial': {
    breaks: ['v2-streams/progress', 'v2-streams/snapshot'],
    tamper: onStream((text) => text.replace(/"nodes_done":\d+,/g, '')),
  },
  'previews-are-missing': { breaks: ['v2-streams/previews'], tamper: withoutEvents('preview') },
  'silence-is-endless': {
    breaks: ['v2-streams/silence'],
    tamper: onStream((text) => text.replace(': keepalive\n\n', '')),
  },
}

export const v2Assets: Mutants = {
  'hashes-are-of-other-bytes': {
    breaks: ['v2-assets/upload'],
    tamper: onText('v2Upload', /"blake3:../, '"blake3:00'),
  },
  'every-hash-is-known': {
    breaks: ['v2-assets/by-hash', 'v2-assets/expected-hash', 'v2-assets/foreign'],
    tamper: answers(/^HEAD \/api\/v2\/assets/, 200),
  },
  'reads-lose-the-path': {
    breaks: ['v2-assets/read'],
    tamper: onJson('v2Asset', (body) => ({ ...body, file_path: null })),
  },
  'addresses-never-expire': {
    breaks: ['v2-assets/address'],
    tamper: onText('v2Asset', /"url_expires_at":"\d{4}/, '"url_expires_at":"9999'),
  },
  'content-leads-nowhere': {
    breaks: ['v2-assets/range', 'v2-assets/content'],
    tamper: answers(/\/content$/, 302),
  },
  'nothing-expires': {
    breaks: ['v2-assets/lifetime'],
    tamper: onJson('v2Upload', (body) => ({ ...body, expires_at: null })),
  },
  'outputs-have-no-job': {
    breaks: ['v2-assets/outputs'],
    tamper: onJson('v2Asset', (body) => ({ ...body, job_id: null })),
  },
  'large-outputs-have-a-size': {
    breaks: ['v2-assets/large-outputs'],
    tamper: onText(/\/v2\/(jobs|assets)\//, '"size_bytes":0', '"size_bytes":7'),
  },
  'references-stay': {
    breaks: ['v2-assets/reference'],
    tamper: onJson(/\/workflow$/, (body) => ({ ...body, workflow: { '1': { inputs: {} } } })),
  },
  'foreign-assets-are-forbidden': {
    breaks: ['v2-assets/foreign'],
    tamper: (deployment) => {
      const known = new Set<string>()
      return onReply(/\/v2\/assets/, ({ status, body }, { target }) => {
        const id = /"id":"([^"]+)"/.exec(textIn(body))?.[1]
        if (id !== undefined) known.add(id)
        return status === 404 && [...known].some((one) => target.includes(one))
          ? { status: 403 }
          : {}
      })(deployment)
    },
  },
}
