// Signs a post like a webhook sender, by the table of schemes, and adds the headers of that sender.

import { createHmac, randomUUID } from 'node:crypto'
import type { eventMembers } from '../../spec/gateway/webhooks.ts'
import {
  base64SecretPrefix,
  type Scheme,
  type SchemeName,
  schemes,
  stripeTimestamp,
} from '../../spec/gateway/signatures.ts'
import { testPayload } from '../../spec/gateway/subscriptions.ts'
import { refused } from '../lib/refused.ts'

/** A sender for each scheme that the gateway understands. */
export type SenderName = SchemeName
export const senderNames = Object.keys(schemes) as readonly SenderName[]

/** A post before it is signed. */
export type UnsignedPost = {
  readonly body: Uint8Array
  /** The event type; ignored by senders that name it in the payload. */
  readonly event: string
  /** Unique for each delivery. */
  readonly id: string
  readonly timestampSeconds: number
}

type Sender = {
  /** Header names and values with the placeholders `{event}`, `{id}` and `{uuid}`. */
  readonly headers: Readonly<Record<string, string>>
  /** The member of its payloads that names the event type, if no header does. */
  readonly eventMember?: (typeof eventMembers)[number]
  readonly idPrefix: string
}

const json = { 'Content-Type': 'application/json' }

/** A program that signs by a general scheme. */
const generalSender: Sender = {
  headers: { ...json, 'X-Request-ID': '{id}' },
  eventMember: 'event_type',
  idPrefix: '',
}

const kinds: Readonly<Record<SenderName, Sender>> = {
  github: {
    headers: {
      ...json,
      'User-Agent': 'GitHub-Hookshot/flowdouble',
      'X-GitHub-Event': '{event}',
      'X-GitHub-Delivery': '{id}',
      'X-GitHub-Hook-ID': '1',
      'X-GitHub-Hook-Installation-Target-Type': 'repository',
      'X-GitHub-Hook-Installation-Target-ID': '1',
    },
    idPrefix: '',
  },
  gitlab: {
    headers: {
      ...json,
      'User-Agent': 'GitLab/flowdouble',
      'X-Gitlab-Event': '{event}',
      'X-Gitlab-Instance': 'https://gitlab.example',
      'X-Gitlab-Webhook-UUID': '{uuid}',
      'X-Gitlab-Event-UUID': '{uuid}',
      'Idempotency-Key': '{id}',
    },
    idPrefix: '',
  },
  stripe: {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (flowdouble)',
    },
    eventMember: 'type',
    idPrefix: 'evt_',
  },
  svix: {
    headers: { ...json, 'User-Agent': 'Svix-Webhooks/flowdouble' },
    eventMember: 'type',
    idPrefix: 'msg_',
  },
  standard: { headers: json, eventMember: 'type', idPrefix: 'msg_' },
  linear: {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Linear-Webhook',
      'Linear-Delivery': '{id}',
      'Linear-Event': '{event}',
    },
    eventMember: 'type',
    idPrefix: '',
  },
  slack: {
    headers: { ...json, 'User-Agent': 'Slackbot 1.0 (+https://api.slack.com/robots)' },
    eventMember: 'type',
    idPrefix: 'Ev',
  },
  pagerduty: {
    headers: { ...json, 'User-Agent': 'PagerDuty-Webhook/V3.0' },
    eventMember: 'event_type',
    idPrefix: '',
  },
  generic: generalSender,
  'generic-v2': generalSender,
  token: generalSender,
}

/** Whether a sender names the event type in a header, so that any body can be of any type. */
export const namesEventInHeader = (as: SenderName): boolean => kinds[as].eventMember === undefined

/** A delivery id in the style of this sender. */
export const newDeliveryId = (as: SenderName): string => kinds[as].idPrefix + randomUUID()

/** The headers of a post of this sender. Throws a refusal for a secret that is not a valid key. */
export function signedHeaders(
  as: SenderName,
  secret: string,
  post: UnsignedPost,
): Readonly<Record<string, string>> {
  const scheme: Scheme = schemes[as]
  const values: Readonly<Record<string, string>> = {
    event: post.event,
    id: post.id,
    uuid: randomUUID(),
  }
  const own = Object.entries(kinds[as].headers).map(([name, value]) => [
    name,
    value.replace(/\{(\w+)\}/, (_, key: string) => values[key] ?? ''),
  ])
  const signed: [string | undefined, string][] = [
    [scheme.id, post.id],
    [scheme.timestamp, String(post.timestampSeconds)],
    [scheme.signature.replace('<provider>', 'Flowdouble'), signPost(scheme, secret, post)],
  ]
  const headers = [...own, ...signed.filter(([name]) => name !== undefined)]
  // Header values are bytes: UTF-8 for values beyond ASCII.
  return Object.fromEntries(
    headers.map(([name, value]) => [name, Buffer.from(value ?? '').toString('latin1')]),
  ) as Record<string, string>
}

/** The value of the signature header of a scheme. Throws a refusal for a secret that is not a valid key. */
export function signPost(
  scheme: Scheme,
  secret: string,
  post: Omit<UnsignedPost, 'event'>,
): string {
  if (scheme.signs === 'token' || scheme.encoding === 'plain') return secret
  const { signs, joint = '.', timestamp, form } = scheme
  const parts = { v0: 'v0', id: post.id, timestamp: `${post.timestampSeconds}`, body: post.body }
  const hmac = createHmac('sha256', signingKey(scheme, secret))
  signs.forEach((part, at) => {
    if (at > 0) hmac.update(joint)
    hmac.update(parts[part])
  })
  const value = scheme.prefix + hmac.digest(scheme.encoding)
  const isTimed = form === 'pairs' && timestamp === undefined && signs.includes('timestamp')
  return isTimed ? `${stripeTimestamp}=${post.timestampSeconds},${value}` : value
}

function signingKey({ key }: Scheme, secret: string): Buffer {
  if (key !== 'whsec-base64' || !secret.startsWith(base64SecretPrefix)) return Buffer.from(secret)
  const text = secret.slice(base64SecretPrefix.length)
  const bytes = Buffer.from(text, 'base64')
  if (text !== '' && bytes.toString('base64') === text) return bytes
  throw refused(`The secret after ${base64SecretPrefix} is not valid base64 with padding.`)
}

/** A sample payload that carries the event type and the delivery id like this sender's payloads. */
export function samplePayload(as: SenderName, event: string, id: string, nowMs: number): string {
  if (as === 'github' && event === 'test') return testPayload
  const { test, message } = JSON.parse(testPayload) as { test: boolean; message: string }
  const data = { test, message }
  const timestamp = new Date(nowMs).toISOString()
  const own: Partial<Record<SenderName, object>> = {
    stripe: { id, object: 'event', type: event, data: { object: data } },
    svix: { type: event, timestamp, data },
    standard: { type: event, timestamp, data },
    linear: { action: 'create', type: event, data, webhookTimestamp: nowMs },
    slack: { type: event, event_id: id, event_time: Math.floor(nowMs / 1000), event: data },
    pagerduty: {
      event_type: event,
      event: { id, event_type: event, occurred_at: timestamp, data },
    },
  }
  return JSON.stringify(own[as] ?? { test, event_type: event, message })
}
