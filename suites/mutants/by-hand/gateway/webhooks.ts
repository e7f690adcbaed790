// Wrong gateways in their replies, in which posts they accept, mostly in the light of earlier posts, and in what they bound.

import {
  each,
  onDelivery,
  onReply,
  says,
  started,
  accepting,
  isUnsigned,
  postIn,
  rejecting,
  replyStatus,
  type Request,
} from '../../gateway-tamper.ts'
import type { GatewayMutants } from '../../tamper.ts'

const duplicate = { status: 200, body: '{"status": "duplicate", "delivery_id": "x"}' }
const limited = { status: 429, body: '{"error": "Rate limit exceeded"}' }

const idOf = ({ headers }: Request): string =>
  headers['x-github-delivery'] ?? headers['svix-id'] ?? headers['x-request-id'] ?? ''

/** Counts events of the latest minute. */
function minute(): {
  readonly add: (atMs: number) => void
  readonly count: (atMs: number) => number
} {
  const times: number[] = []
  return {
    add: (atMs) => void times.push(atMs),
    count: (atMs) => times.filter((one) => one > atMs - 60_000).length,
  }
}

export const webhooks: GatewayMutants = {
  'health-is-ill': {
    breaks: ['webhooks/health', 'webhooks/health-is-free'],
    tamper: onReply((_, { target }) => (target.startsWith('/health') ? { status: 503 } : {})),
  },
  'names-are-lost': {
    breaks: ['webhooks/path', 'webhooks/encoded-name'],
    tamper: onReply(({ status }) => (status === 202 ? { status: 404, body: '{}' } : {})),
  },
  'payload-is-lost': {
    breaks: ['webhooks/json-body', 'templates/raw'],
    tamper: onDelivery(() => ({ text: '{}' })),
  },
  'filter-is-open': {
    breaks: ['webhooks/filter', 'webhooks/ignored'],
    tamper: () => (effects, input) =>
      effects.flatMap((effect, at) =>
        effect.kind === 'reply' && effect.body.includes('"ignored"') && input.kind === 'request'
          ? [{ ...effect, status: 202 }, started(effect.request * 1000 + at)]
          : [effect],
      ),
  },
  'empty-filter-takes-pushes-only': {
    breaks: ['webhooks/filter-empty'],
    tamper: onReply(({ body }) => (body.includes('"event": "ping"') ? { status: 200 } : {})),
  },
  'packed-bodies-are-not-json': {
    breaks: ['webhooks/packed-body', 'webhooks/packed-size'],
    tamper: onReply(({ status }, { headers }) =>
      status < 300 && 'content-encoding' in headers ? { status: 400 } : {},
    ),
  },
  'bombs-are-unsigned': {
    breaks: ['webhooks/packed-size'],
    tamper: onReply(({ status }) => (status === 413 ? { status: 401 } : {})),
  },
  'charsets-are-not-read': {
    breaks: ['webhooks/charset'],
    tamper: onReply(({ status }, { headers }) =>
      status < 300 && headers['content-type']?.includes('8859') ? { status: 400 } : {},
    ),
  },
  'proxies-name-deliveries': {
    breaks: ['webhooks/id-scheme', 'webhooks/id-stripe'],
    tamper: onReply(({ body }, { headers }) => {
      const id = headers['x-request-id']
      return id === undefined ? {} : { body: body.replace(/(_id": ")[^"]*/, `$1${id}`) }
    }),
  },
  'payloads-alone-name-events': {
    breaks: ['webhooks/event-scheme'],
    tamper: onReply(({ body }) => ({ body: body.replace('check-a"', 'check-b"') })),
  },
  'limit-is-off': { breaks: ['webhooks/rate-limit'], options: { rateLimit: 31 } },
  'repeats-are-accepted': {
    breaks: ['webhooks/duplicate', 'webhooks/direct-is-checked'],
    tamper: says('duplicate', 'accepted'),
  },
  'delivery-is-accepted': {
    breaks: ['webhooks/delivered'],
    tamper: says('delivered', 'accepted'),
  },
  'failure-is-hidden': {
    breaks: ['webhooks/delivery-failed'],
    tamper: onReply(({ status }) => (status === 502 ? { status: 200 } : {})),
  },
  'failure-says-why': {
    breaks: ['webhooks/delivery-failed'],
    tamper: onReply(({ body }) => ({ body: body.replace('Delivery failed', 'Chat is closed') })),
  },
  'ids-are-shared-by-routes': {
    breaks: ['webhooks/id-per-route'],
    tamper: rejecting(() => {
      const seen = new Set<string>()
      return (post, request) => {
        const id = idOf(request)
        const isKnown = seen.has(id)
        if (post.verdict === 'accepted' && id !== '') seen.add(id)
        return isKnown
      }
    }, duplicate),
  },
  'ignored-ids-are-remembered': {
    breaks: ['webhooks/id-recorded'],
    tamper: rejecting(() => {
      const ignored = new Set<string>()
      return (post, request) => {
        if (post.verdict === 'ignored') ignored.add(idOf(request))
        return ignored.has(idOf(request))
      }
    }, duplicate),
  },
  'ids-of-failed-deliveries-stay': {
    breaks: ['webhooks/id-forgotten'],
    tamper: () => {
      const failed = new Set<string>()
      const reject = rejecting(() => (_, request) => failed.has(idOf(request)), duplicate)()
      const note = onReply(({ status }, request) => {
        if (status === 502) failed.add(idOf(request))
        return {}
      })()
      return (effects, input) => note(reject(effects, input), input)
    },
  },
  'duplicates-extend-the-life-of-an-id': {
    breaks: ['webhooks/id-lifetime'],
    tamper: rejecting(() => {
      const repeated = new Map<string, number>()
      return ({ verdict }, request) => {
        const id = idOf(request)
        if (verdict === 'duplicate') repeated.set(id, request.atMs)
        return request.atMs - (repeated.get(id) ?? -Infinity) < 3_600_000
      }
    }, duplicate),
  },
  'filter-ignores-case': {
    breaks: ['webhooks/filter-exact'],
    tamper: accepting(
      () =>
        ({ verdict, event }) =>
          verdict === 'ignored' && String(event) !== String(event).toLowerCase(),
    ),
  },
  'filter-takes-actions': {
    breaks: ['webhooks/filter-exact'],
    tamper: accepting(
      () =>
        ({ verdict, event }) =>
          verdict === 'ignored' && String(event).includes('.'),
    ),
  },
  'window-is-the-minute-of-the-clock': {
    breaks: ['webhooks/rate-limit'],
    tamper: accepting(() => {
      const counts = new Map<string, number>()
      return ({ route, verdict }, { atMs }) => {
        const key = `${Math.floor(atMs / 60_000)} ${route}`
        const count = counts.get(key) ?? 0
        if (verdict !== 'refused') counts.set(key, count + 1)
        return verdict === 'limited' && count < 30
      }
    }),
  },
  'unsigned-posts-count': {
    breaks: ['webhooks/rate-counts'],
    tamper: rejecting(() => {
      const wrong = minute()
      return (post, { atMs }) => {
        if (isUnsigned(post)) wrong.add(atMs)
        return wrong.count(atMs) >= 30
      }
    }, limited),
  },
  'ignored-posts-do-not-count': {
    breaks: ['webhooks/rate-counts'],
    tamper: accepting(() => {
      const ignored = minute()
      return ({ verdict }, { atMs }) => {
        if (verdict === 'ignored') ignored.add(atMs)
        return verdict === 'limited' && ignored.count(atMs) > 0
      }
    }),
  },
  'limited-posts-count': {
    breaks: ['webhooks/rate-counts'],
    tamper: rejecting(() => {
      const refused = minute()
      return ({ verdict }, { atMs }) => {
        if (verdict === 'limited') refused.add(atMs)
        return refused.count(atMs) > 0
      }
    }, limited),
  },
  'routes-share-a-limit': {
    breaks: ['webhooks/rate-per-route'],
    tamper: rejecting(() => {
      const all = minute()
      return (_, { atMs }) => {
        all.add(atMs)
        return all.count(atMs) > 30
      }
    }, limited),
  },
  'limit-comes-before-the-signature': {
    breaks: ['webhooks/order'],
    tamper: () => {
      const full = new Set<string>()
      return (effects, input) => {
        const post = postIn(effects)
        if (post?.verdict === 'limited') full.add(post.route)
        const isFull = replyStatus(effects) === 401 && full.has(post?.route ?? '')
        return isFull ? onReply(() => limited)()(effects, input) : effects
      }
    },
  },
  'unknown-routes-are-gone': {
    breaks: ['webhooks/unknown-route', 'webhooks/json-replies'],
    tamper: onReply(({ status }) => (status === 404 ? { status: 410 } : {})),
  },
  'filter-comes-before-the-body': {
    breaks: ['webhooks/unparsable-body', 'webhooks/order'],
    missedBy: ['webhooks/order'],
    tamper: onReply(({ status }, { headers }) =>
      status === 400 && 'x-github-event' in headers
        ? { status: 200, body: '{"status": "ignored", "event": "push"}' }
        : {},
    ),
  },
  'health-shows-no-runs': {
    breaks: ['webhooks/health-runs'],
    missedBy: ['webhooks/health-runs'],
    tamper: onReply(({ body }) => ({ body: body.replace(/"waiting": \d+/, '"waiting": 0') })),
  },
  'origins-are-not-logged': {
    breaks: ['webhooks/log-origin'],
    tamper: each((effect) => {
      if (effect.kind !== 'post') return [effect]
      const { from: _, ...rest } = effect
      return [rest]
    }),
  },
  'routes-go-silently': {
    breaks: ['subscriptions/log-missing'],
    tamper: each((effect) =>
      effect.kind === 'log' && effect.text.includes(' is gone') ? [] : [effect],
    ),
  },
  'runs-start-before-the-answer': {
    breaks: ['webhooks/answered-in-order'],
    missedBy: ['webhooks/answered-in-order'],
    tamper: () => (effects, input) =>
      input.kind === 'request' && replyStatus(effects) === 202 ? effects.toReversed() : effects,
  },
}

/** Answers one refusal like another. */
const refuses = (status: number, error: string) =>
  onReply(({ body }) => (body.includes(error) ? { status } : {}))

export const operations: GatewayMutants = {
  'bodies-that-stall-are-bad-requests': {
    breaks: ['operations/unfinished-bodies'],
    tamper: refuses(400, 'Too many unfinished bodies'),
  },
  'slow-bodies-are-bad-requests': {
    breaks: ['operations/slow-body'],
    tamper: refuses(400, 'Request timeout'),
  },
  'nothing-is-wrong': {
    breaks: [
      'operations/degraded',
      'operations/degraded-file',
      'operations/degraded-target',
      'operations/degraded-store',
    ],
    tamper: onReply(({ body }) => ({ body: body.replace('"degraded"', '"ok"') })),
  },
  'never-ready': {
    breaks: ['operations/ready'],
    tamper: onReply(({ body }) => (body.includes('"ready"') ? { status: 503 } : {})),
  },
  'a-refusal-is-for-all': {
    breaks: ['operations/refused-ends'],
    tamper: () => {
      let isFull = false
      return onReply(({ status }) => {
        isFull ||= status === 503 || status === 408
        return isFull ? { status: 503 } : {}
      })()
    },
  },
}
