// Laws about posts to a gateway: unsigned ones are refused, and repeated ones do nothing.

import { type Scheme, schemes, tokenHeader } from '../../spec/gateway/signatures.ts'
import { deliveryIdHeaders } from '../../spec/gateway/webhooks.ts'
import { equal, law, type Law, unless } from './law.ts'
import type { Trace, TracedExchange } from '../../dist/emulator/session/index.js'

const posts = ({ exchanges }: Trace): readonly TracedExchange[] =>
  exchanges.filter(({ endpoint, status }) => endpoint?.name === 'webhook' && status > 0)

const headerIn = ({ recorded }: TracedExchange, name: string): string =>
  recorded.headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1] ?? ''

/** Headers of any scheme that sign a post. */
const signing: ReadonlySet<string> = new Set(
  Object.values(schemes).map(({ header }) => header.toLowerCase()),
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

const idPlaces = Object.values<Scheme>(schemes).flatMap(({ id }) => id ?? [])
const idHeaders = [
  ...deliveryIdHeaders,
  ...idPlaces.flatMap((place) => ('header' in place ? place.header : [])),
]

/** What can be the delivery id of a post: a gateway that knows more senders reads other headers first. */
function deliveryIdsOf(post: TracedExchange): ReadonlySet<string> {
  const payload: unknown = post.asked()
  const members = idPlaces.flatMap((place) => {
    const path = 'member' in place ? place.member.split('.') : []
    return path.length === 0 ? [] : path.reduce<unknown>(memberOf, payload)
  })
  const ids = [...idHeaders.map((name) => headerIn(post, name)), ...members]
  return new Set(ids.filter((id) => typeof id === 'string').filter((id) => id !== ''))
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/** Whether a header that all senders share names a delivery id. */
const namesId = (post: TracedExchange): boolean =>
  deliveryIdHeaders.some((name) => headerIn(post, name) !== '')

const isAccepted = (post: TracedExchange): boolean =>
  ['accepted', 'delivered'].includes(post.reply()?.status)

/** How long the gateway certainly knows an id, in milliseconds. */
const KNOWN_MS = 3600_000

/** Posts with an id that their route accepted before, of those that were not refused. */
function* repeats(trace: Trace): Iterable<TracedExchange> {
  const first = new Map<string, number>()
  for (const post of posts(trace)) {
    const [id, other] = deliveryIdsOf(post)
    // Which of several ids counts depends on the gateway.
    if (id === undefined || other !== undefined || !namesId(post) || !isTaken(post)) continue
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
      const ids = deliveryIdsOf(exchange)
      return [
        ...equal({ exchange }, 'the route', route, routeOf(exchange)),
        ...(namesId(exchange) && !ids.has(delivery_id)
          ? equal({ exchange }, 'the delivery id', delivery_id, [...ids].join(' or '))
          : []),
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
