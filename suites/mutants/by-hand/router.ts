// Wrong hosted servers that break rules of the Router.

import { onJson, onReply, without, type Maker, type Mutants, type Reply } from '../tamper.ts'

const anything = /^\w+ \/v2\/models/

/** A body as text; empty for other bodies. */
const textIn = (body: Reply['body']): string => (typeof body === 'string' ? body : '')

/** Used keys have no effect. */
const keysAreIgnored: Maker = onReply('routerRun', ({ headers, body }) =>
  textIn(body).includes('Idempotency-Key')
    ? { status: 200, body: '{}' }
    : { headers: without(headers, 'Idempotent-Replayed') },
)

export const router: Mutants = {
  'ids-are-the-same': {
    breaks: ['router/request-id'],
    tamper: onReply(anything, ({ headers }) => ({
      headers: {
        ...headers,
        'X-Comfy-Request-Id': '00000000-0000-4000-8000-000000000000',
      },
    })),
  },
  'errors-are-nested': {
    breaks: ['router/errors', 'router/key-refusal'],
    tamper: onJson(anything, (body) =>
      body.error_type === undefined ? body : { error: { code: body.error_type } },
    ),
  },
  'pages-have-no-end': {
    breaks: ['router/list-limit'],
    tamper: onJson('routerModels', (body) => ({ ...body, limit: 20 })),
  },
}

export const routerRuns: Mutants = {
  'keys-are-ignored': {
    breaks: ['router-runs/replay', 'router-runs/key-in-flight', 'router-runs/key-of-another'],
    tamper: keysAreIgnored,
  },
  'keys-are-those-of-v2': {
    breaks: ['router-runs/replay', 'router-runs/key-kept', 'router-runs/client-gone'],
    tamper: onReply('routerRun', ({ headers }) =>
      headers['Idempotent-Replayed'] === undefined ? {} : { status: 422 },
    ),
  },
  'costs-nothing': {
    breaks: ['router-runs/result-headers'],
    tamper: onReply('routerRun', ({ headers }) => ({
      headers: { ...headers, 'X-Comfy-Credits-Used': '0' },
    })),
  },
}

export const routerQueue: Mutants = {
  'position-counts-from-one': {
    breaks: ['router-queue/position'],
    tamper: onJson('routerStatus', (body) =>
      body.queue_position === undefined
        ? body
        : { ...body, queue_position: body.queue_position + 1 },
    ),
  },
  'failures-look-like-outputs': {
    breaks: ['router-queue/failed', 'router-queue/cancel-queued', 'router-queue/cancel-running'],
    tamper: onJson('routerStatus', ({ error_type: _, ...body }) => body),
  },
  'repeats-have-an-estimate': {
    breaks: ['router-queue/key'],
    tamper: onJson('routerSubmit', (body) => ({ ...body, estimate: body.estimate ?? {} })),
  },
}
