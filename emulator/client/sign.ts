// Signs a post like a webhook sender, by its scheme, and adds the headers of that sender.

import { randomUUID } from 'node:crypto'
import { base64SecretPrefix, type Scheme, type SchemeName } from '../../spec/gateway/signatures.ts'
import { testPayload } from '../../spec/gateway/subscriptions.ts'
import { type NamedScheme } from '../gateway/post/schemes.ts'
import { secretHeader, signatureOf, signingKeys } from '../gateway/post/sign.ts'
import { refused } from '../lib/refused.ts'

/** A post before it is signed. */
export type UnsignedPost = {
  readonly body: Uint8Array
  /** The event type; ignored by senders that name it in the payload. */
  readonly event: string
  /** Unique for each delivery. */
  readonly id: string
  readonly timeMs: number
  /** The address to which it is sent. */
  readonly url: string
}

const json = { 'Content-Type': 'application/json' }
const jsonUtf8 = { 'Content-Type': 'application/json; charset=utf-8' }

/** What a sender sends besides what its scheme names, with the placeholders `{event}`, `{id}` and `{uuid}`. */
const ownHeaders: Readonly<Partial<Record<SchemeName, Readonly<Record<string, string>>>>> = {
  github: {
    ...json,
    'User-Agent': 'GitHub-Hookshot/flowdouble',
    'X-GitHub-Hook-ID': '1',
    'X-GitHub-Hook-Installation-Target-Type': 'repository',
    'X-GitHub-Hook-Installation-Target-ID': '1',
  },
  gitlab: {
    ...json,
    'User-Agent': 'GitLab/flowdouble',
    'X-Gitlab-Instance': 'https://gitlab.example',
    'X-Gitlab-Webhook-UUID': '{uuid}',
    'X-Gitlab-Event-UUID': '{uuid}',
  },
  stripe: { ...jsonUtf8, 'User-Agent': 'Stripe/1.0 (flowdouble)' },
  svix: { ...json, 'User-Agent': 'Svix-Webhooks/flowdouble' },
  linear: { ...jsonUtf8, 'User-Agent': 'Linear-Webhook', 'Linear-Event': '{event}' },
  slack: { ...json, 'User-Agent': 'Slackbot 1.0 (+https://api.slack.com/robots)' },
  pagerduty: { ...json, 'User-Agent': 'PagerDuty-Webhook/V3.0' },
  shopify: {
    ...json,
    'User-Agent': 'Shopify-Captain-Hook',
    'X-Shopify-Shop-Domain': 'flowdouble.myshopify.example',
    'X-Shopify-Event-Id': '{uuid}',
  },
  grafana: { ...json, 'User-Agent': 'Grafana' },
  bitbucket: { ...json, 'User-Agent': 'Bitbucket-Webhooks/2.0', 'X-Attempt-Number': '1' },
}

/** How the delivery ids of a sender begin. */
const idPrefixes: Readonly<Partial<Record<SchemeName, string>>> = {
  stripe: 'evt_',
  svix: 'msg_',
  standard: 'msg_',
  slack: 'Ev',
}

/** The value for a sender; undefined for one that is not built in. */
const valueFor = <T>(table: Readonly<Partial<Record<SchemeName, T>>>, name: string) =>
  Object.hasOwn(table, name) ? table[name as SchemeName] : undefined

/** Whether a sender names the event type in a header, so that any body can be of any type. */
export const namesEventInHeader = ({ event }: Scheme): boolean =>
  event !== undefined && 'header' in event

/** A delivery id in the style of this sender. */
export const newDeliveryId = ({ name }: NamedScheme): string =>
  (valueFor(idPrefixes, name) ?? '') + randomUUID()

/** The headers of a post of this sender. Throws a refusal for a secret that is not a valid key. */
export function signedHeaders(
  { name, scheme }: NamedScheme,
  secret: string,
  post: UnsignedPost,
): Readonly<Record<string, string>> {
  const values: Readonly<Record<string, string>> = {
    event: post.event,
    id: post.id,
    uuid: randomUUID(),
  }
  const own = Object.entries(valueFor(ownHeaders, name) ?? json).map(([header, value]) => [
    header,
    value.replace(/\{(\w+)\}/, (_, key: string) => values[key] ?? ''),
  ])
  const { id, event, time } = scheme
  const placed = [
    // A sender without an id of the delivery usually has one of the request.
    [id ?? { header: 'X-Request-ID' }, post.id] as const,
    ...(event ? [[event, post.event] as const] : []),
    ...(time ? [[time, timeText(scheme, post.timeMs)] as const] : []),
  ].flatMap(([place, value]) => ('header' in place ? [[place.header, value]] : []))
  // Header values are bytes: UTF-8 for values beyond ASCII.
  const headers = [...own, ...placed].map(([header, value = '']) => [
    header,
    Buffer.from(value).toString('latin1'),
  ])
  const signature = [scheme.header.replace(/<\w+>/, 'Flowdouble'), signPost(scheme, secret, post)]
  return Object.fromEntries([...headers, signature]) as Record<string, string>
}

const timeText = ({ time_unit }: Scheme, timeMs: number): string =>
  `${time_unit === 'ms' ? timeMs : Math.floor(timeMs / 1000)}`

/** The value of the header of a scheme, a character for a byte. Throws a refusal for a secret that is not a valid key. */
export function signPost(
  scheme: Scheme,
  secret: string,
  { body, id, timeMs, url }: Omit<UnsignedPost, 'event'>,
): string {
  const { algorithm, separator = ',' } = scheme
  if (algorithm === 'none') return secretHeader(scheme, secret)
  const [key] = signingKeys(secret, scheme)
  if (key === undefined)
    throw refused(`The secret after ${base64SecretPrefix} is not valid base64 with padding.`)
  const parts = { body, id, url, time: timeText(scheme, timeMs) }
  const items = (['time', 'id'] as const).flatMap((part) => {
    const place = scheme[part]
    return place !== undefined && 'item' in place ? `${place.item}=${parts[part]}` : []
  })
  return [...items, signatureOf(scheme, algorithm, parts, key)].join(separator)
}

/** A sample payload that carries the event type, the delivery id and the time where the payloads of this sender do. */
export function samplePayload(
  { name, scheme }: NamedScheme,
  event: string,
  id: string,
  timeMs: number,
): string {
  if (name === 'github' && event === 'test') return testPayload
  const { test, message } = JSON.parse(testPayload) as { test: boolean; message: string }
  const data = { test, message }
  const timestamp = new Date(timeMs).toISOString()
  const samples: Partial<Record<SchemeName, object>> = {
    stripe: { id, object: 'event', type: event, data: { object: data } },
    svix: { type: event, timestamp, data },
    standard: { type: event, timestamp, data },
    linear: { action: 'create', type: event, data },
    slack: { type: event, event_id: id, event_time: Math.floor(timeMs / 1000), event: data },
    pagerduty: { event: { id, event_type: event, occurred_at: timestamp, data } },
  }
  const payload = { ...(valueFor(samples, name) ?? { test, event_type: event, message }) }
  const time = Number(timeText(scheme, timeMs))
  for (const [place, value] of [
    [scheme.id, id],
    [scheme.event, event],
    [scheme.time, time],
  ] as const)
    if (place !== undefined && 'member' in place) setMember(payload, place.member, value)
  return JSON.stringify(payload)
}

/** Sets a member of a payload; objects on the way to it are made. */
function setMember(payload: object, path: string, value: unknown): void {
  const names = path.split('.')
  let place = payload as Record<string, unknown>
  for (const name of names.slice(0, -1)) {
    const inner = place[name]
    const isThere = typeof inner === 'object' && inner !== null
    place = (isThere ? inner : (place[name] = {})) as Record<string, unknown>
  }
  place[names.at(-1) ?? ''] = value
}
