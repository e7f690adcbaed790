// Sends the posts of a recorded session to a gateway: signed again with the secret of today, and with delivery ids that no gateway
// has seen.

import { randomUUID } from 'node:crypto'
import type { RecordedExchange } from '../../../../dist/emulator/internal.js'
import type { GatewayFacts } from '../../../../spec/check.ts'
import {
  type Place,
  type Scheme,
  type SchemeName,
  schemes,
} from '../../../../spec/gateway/signatures.ts'
import { deliveryIdHeaders } from '../../../../spec/gateway/webhooks.ts'
import { headersOf } from '../../../generate/senders.ts'
import type { GatewaySubject } from '../../../judge/gateway-subject.ts'
import { replyOf } from '../../../judge/reply.ts'
import { Skip } from '../../../judge/skip.ts'
import { jsonIn, type Trace, type TracedExchange } from '../../../../dist/emulator/session/index.js'
import { createIdentities } from './identities.ts'
import type { Played, Replayed } from './play.ts'

/** Headers that name a delivery, so that a gateway knows it again. */
const deliveryNames: ReadonlySet<string> = new Set(
  deliveryIdHeaders.map((name) => name.toLowerCase()),
)
const namesDelivery = (name: string): boolean => deliveryNames.has(name.toLowerCase())

/** Headers of the connection. */
const ofConnection = /^(?:host|connection|content-length|transfer-encoding|accept-encoding)$/i

const UNSIGNED = 401

/** The scheme by which a recorded post was signed; undefined for none. */
function schemeOf({ recorded }: TracedExchange): SchemeName | undefined {
  const names = new Set(recorded.headers.map(([name]) => name.toLowerCase()))
  return (Object.entries(schemes) as readonly (readonly [SchemeName, Scheme])[]).find(
    ([, { selectedBy }]) => selectedBy.some((name) => names.has(name.toLowerCase())),
  )?.[0]
}

/** A body, in which the delivery id stands that some senders write there. */
function bodyOf(
  { recorded, asked }: TracedExchange,
  scheme: SchemeName | undefined,
  deliveryOf: (id: string) => string,
): Buffer {
  const body = Buffer.from(recorded.body)
  const place: Place | undefined = scheme && schemes[scheme].id
  const path = place !== undefined && 'member' in place ? place.member.split('.') : []
  let id: unknown = path.length > 0 ? asked() : undefined
  for (const name of path) id = (id as Readonly<Record<string, unknown>> | undefined)?.[name]
  if (typeof id !== 'string') return body
  return Buffer.from(body.toString().replaceAll(JSON.stringify(id), JSON.stringify(deliveryOf(id))))
}

/** The secret of the route of a post. */
function secretFor(
  route: string | undefined,
  facts: GatewayFacts,
  { sender }: GatewaySubject,
): string {
  if (route === facts.second?.route) return sender.second.secret
  const own = [facts.route, facts.filtered, facts.direct, facts.failing]
  if (own.includes(route)) return sender.secret
  throw new Skip('no-key', `It needs the secret of the route ${route}: see --route.`)
}

/** Plays a recorded session on a gateway. */
export async function playPosts(
  subject: GatewaySubject,
  { exchanges }: Trace,
  facts: GatewayFacts,
): Promise<Played> {
  const identities = createIdentities()
  const deliveries = new Map<string, string>()
  const sent: RecordedExchange[] = []
  const deliveryOf = (id: string): string => {
    const now = deliveries.get(id) ?? `flowdouble-check-${randomUUID()}`
    deliveries.set(id, now)
    return now
  }
  const send = async (exchange: TracedExchange): Promise<Replayed> => {
    const none = { exchange, states: [], lost: [] }
    const { recorded, status, parts } = exchange
    try {
      const { pathname, search } = new URL(recorded.url)
      const scheme = schemeOf(exchange)
      const isSigned = scheme !== undefined && status !== UNSIGNED && status !== 404
      const own = recorded.headers
        .filter(([name]) => !ofConnection.test(name))
        .map(([name, value]) => [name, namesDelivery(name) ? deliveryOf(value) : value] as const)
      const body = bodyOf(exchange, scheme, deliveryOf)
      const id = own.find(([name]) => namesDelivery(name))?.[1]
      const signature = isSigned
        ? headersOf(scheme, {
            body,
            secret: secretFor(parts[0], facts, subject),
            timestamp: `${await subject.sender.now()}`,
            ...(id !== undefined && { id }),
          })
        : {}
      const replaced = new Set(Object.keys(signature).map((name) => name.toLowerCase()))
      const headers = {
        ...Object.fromEntries(own.filter(([name]) => !replaced.has(name.toLowerCase()))),
        ...signature,
      }
      const startMs = performance.now()
      const answer = await subject.send(recorded.method, pathname + search, body, headers)
      const lines = answer.lines.map((line) => /^([^:]+):\s*(.*)$/.exec(line) ?? [])
      const reply = replyOf({
        status: answer.status,
        headers: Object.fromEntries(
          lines.map(([, name = '', value = '']) => [name.toLowerCase(), value] as const),
        ),
        bytes: Buffer.from(answer.body),
      })
      sent.push({
        ...recorded,
        startMs,
        endMs: performance.now(),
        headers: Object.entries(headers),
        body,
        response: {
          status: reply.status,
          headers: Object.entries(reply.headers),
          body: reply.bytes,
        },
      })
      for (const [then, now] of deliveries) identities.learn({ id: then }, { id: now })
      identities.learn(exchange.reply(), jsonIn(reply.text))
      return { ...none, reply }
    } catch (error) {
      return error instanceof Skip ? { ...none, skip: error } : { ...none, error }
    }
  }
  const replayed: Replayed[] = []
  for (const exchange of exchanges) replayed.push(await send(exchange))
  const recording = { info: null, exchanges: sent, sockets: [] }
  return { replayed, sessions: new Map(), identities, recording, isAccepted: () => false }
}
