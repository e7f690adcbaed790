// Laws about posts to a gateway: unsigned ones are refused, and repeated ones do nothing.

import { schemes, tokenHeader } from '../../spec/gateway/signatures.ts'
import { deliveryIdHeaders } from '../../spec/gateway/webhooks.ts'
import { equal, law, type Law, unless } from './law.ts'
import type { Trace, TracedExchange } from '../../dist/emulator/session/index.js'

const posts = ({ exchanges }: Trace): readonly TracedExchange[] =>
  exchanges.filter(({ endpoint, status }) => endpoint?.name === 'webhook' && status > 0)

const headerIn = ({ recorded }: TracedExchange, name: string): string =>
  recorded.headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1] ?? ''

/** Headers of any scheme that sign a post. */
const signing: ReadonlySet<string> = new Set(
  Object.values(schemes).flatMap((scheme) =>
    'signature' in scheme ? [scheme.signature.toLowerCase()] : [],
  ),
)

const isSigned = ({ recorded }: TracedExchange): boolean =>
  recorded.headers.some(
    ([name, value]) =>
      value !== '' &&
      (signing.has(name.toLowerCase()) ||
        tokenHeader.test(name.toLowerCase()) ||
        /^svix-(?:id|timestamp|signature)$/i.test(name)),
  )

/** Whether a post was taken: then its signature was valid. */
const isTaken = ({ status }: TracedExchange): boolean => [200, 202, 502].includes(status)

const routeOf = ({ parts }: TracedExchange): string => parts[0] ?? ''

const deliveryIdOf = (post: TracedExchange): string =>
  deliveryIdHeaders.map((name) => headerIn(post, name)).find((id) => id !== '') ?? ''

const isAccepted = (post: TracedExchange): boolean =>
  ['accepted', 'delivered'].includes(post.reply()?.status)

/** How long the gateway certainly knows an id, in milliseconds. */
const KNOWN_MS = 3600_000

/** Posts with an id that their route accepted before, of those that were not refused. */
function* repeats(trace: Trace): Iterable<TracedExchange> {
  const first = new Map<string, number>()
  for (const post of posts(trace)) {
    const id = deliveryIdOf(post)
    if (id === '' || !isTaken(post)) continue
    // Each world knows ids by itself.
    const key = `${new URL(post.recorded.url).pathname}\n${id}`
    const { startMs, endMs } = post.recorded
    const beforeMs = first.get(key)
    if (beforeMs !== undefined && beforeMs <= startMs && startMs - beforeMs < KNOWN_MS) yield post
    if (isAccepted(post) && beforeMs === undefined) first.set(key, endMs)
  }
}

export const gatewayLaws: readonly Law[] = [
  law(
    'signatures/every-post',
    (trace) => posts(trace).filter((post) => !isSigned(post)),
    (exchange) =>
      unless(
        !isTaken(exchange),
        { exchange },
        () => `A post without a signature returns ${exchange.status}.`,
      ),
  ),
  law(
    'signatures/every-post',
    (trace) => posts(trace).filter(({ status }) => status === 401),
    (exchange) =>
      equal({ exchange }, 'the reply to an invalid signature', exchange.reply(), {
        error: 'Invalid signature',
      }),
  ),
  law('webhooks/no-500', posts, (exchange) =>
    unless(exchange.status !== 500, { exchange }, () => 'A post returns 500.'),
  ),
  law(
    'webhooks/accepted',
    (trace) => posts(trace).filter(isAccepted),
    (exchange) => {
      const { status, route, delivery_id } = exchange.reply()
      const id = deliveryIdOf(exchange)
      return [
        ...equal({ exchange }, 'the route', route, routeOf(exchange)),
        ...(id === '' ? [] : equal({ exchange }, 'the delivery id', delivery_id, id)),
        ...equal({ exchange }, 'the status', exchange.status, status === 'accepted' ? 202 : 200),
      ]
    },
  ),
  law('webhooks/duplicate', repeats, (exchange) =>
    unless(
      exchange.reply()?.status === 'duplicate' || exchange.reply()?.status === 'ignored',
      { exchange },
      () => `A repeated delivery id returns ${exchange.status} ${exchange.reply()?.status}.`,
    ),
  ),
]
