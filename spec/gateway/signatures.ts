// Signatures: each signature scheme as a row of a table, in order of precedence.

import { type Rules, chosen, stated, observedAtReference, observedAt } from '../language.ts'
import { limits } from '../limits.ts'

/** How the secret of a route becomes the key of an HMAC. */
export type KeyDerivation =
  /** The UTF-8 bytes of the secret. */
  | 'utf-8'
  /** After `whsec_` strict standard base64 with padding; without that prefix the UTF-8 bytes, or what is such base64. */
  | 'whsec-base64'

export type Scheme = {
  /** Headers that select the scheme if one of them is not empty. */
  readonly selectedBy: readonly string[]
  /** The header with the signature, or with the token. */
  readonly signature: string
  /** The headers with the id and the time of the message, where the scheme signs them. */
  readonly id?: string
  readonly timestamp?: string
  /** What is signed, and the text itself for `v0`; `token` signs nothing and carries the secret itself. */
  readonly signs: readonly ('v0' | 'id' | 'timestamp' | 'body')[] | 'token'
  /** What joins the signed parts; a dot by default. */
  readonly joint?: string
  readonly encoding: 'hex' | 'base64' | 'plain'
  /** The prefix of the encoded digest. */
  readonly prefix: string
  /** How the value of the signature header is parsed. */
  readonly form: 'whole' | 'entries' | 'pairs'
  readonly key: KeyDerivation
  /** The maximum difference between the time of the message and the clock of the gateway, in seconds. */
  readonly windowSeconds?: number
  /** The member of the payload with the time of the message in milliseconds, and its maximum difference. */
  readonly timeMember?: { readonly name: string; readonly windowSeconds: number }
}

const windowSeconds = limits.signatureWindow.value

/** A scheme whose header selects it: unless it says otherwise, that is the digest of the body in hex. */
const scheme = (signature: string, more: Partial<Scheme> = {}): Scheme => ({
  selectedBy: [signature],
  signature,
  signs: ['body'],
  encoding: 'hex',
  prefix: '',
  form: 'whole',
  key: 'utf-8',
  ...more,
})

const standard = {
  signs: ['id', 'timestamp', 'body'],
  encoding: 'base64',
  prefix: 'v1,',
  form: 'entries',
  key: 'whsec-base64',
  windowSeconds,
} as const
const plain = { signs: 'token', encoding: 'plain' } as const

/** The schemes by name; the first one present decides. `entries` are separated by spaces, `pairs` (`k=v`) by commas. */
export const schemes = {
  svix: scheme('svix-signature', {
    ...standard,
    selectedBy: ['svix-id', 'svix-timestamp', 'svix-signature'],
    id: 'svix-id',
    timestamp: 'svix-timestamp',
  }),
  standard: scheme('webhook-signature', {
    ...standard,
    id: 'webhook-id',
    timestamp: 'webhook-timestamp',
  }),
  stripe: scheme('Stripe-Signature', {
    signs: ['timestamp', 'body'],
    prefix: 'v1=',
    form: 'pairs',
    windowSeconds,
  }),
  linear: scheme('Linear-Signature', {
    timeMember: { name: 'webhookTimestamp', windowSeconds: limits.linearWindow.value },
  }),
  slack: scheme('X-Slack-Signature', {
    timestamp: 'X-Slack-Request-Timestamp',
    signs: ['v0', 'timestamp', 'body'],
    joint: ':',
    prefix: 'v0=',
    windowSeconds,
  }),
  pagerduty: scheme('X-PagerDuty-Signature', { prefix: 'v1=', form: 'pairs' }),
  github: scheme('X-Hub-Signature-256', { prefix: 'sha256=' }),
  gitlab: scheme('X-Gitlab-Token', plain),
  'generic-v2': scheme('X-Webhook-Signature-V2', {
    timestamp: 'X-Webhook-Timestamp',
    signs: ['timestamp', 'body'],
    windowSeconds,
  }),
  generic: scheme('X-Webhook-Signature'),
  token: scheme('X-<provider>-Token', plain),
} as const satisfies Readonly<Record<string, Scheme>>
export type SchemeName = keyof typeof schemes

/** The headers of the scheme `token`, in lower case. */
export const tokenHeader = /^x-[a-z0-9]+(-[a-z0-9]+)*-token$/

/** The member of a `Stripe-Signature` with the time of the message. */
export const stripeTimestamp = 't'

/** The prefix of a secret whose rest is a key in base64. */
export const base64SecretPrefix = 'whsec_'

/** The secret that other gateways read as "do not validate": this gateway treats it as a missing secret. */
export const insecureSecret = 'INSECURE_NO_AUTH'

/** The gateway does not redact shorter secrets: they could be part of any text, and redacting would reveal them. */
export const hiddenFromCharacters = 4

/** Hosts that count as loopback for the quirk that accepts that secret; they are trimmed and in lower case. */
export const loopbackHosts = [
  '127.0.0.1',
  'localhost',
  '::1',
  'ip6-localhost',
  'ip6-loopback',
] as const

export const rules = {
  ...stated.gateway({
    'signatures/every-post':
      'The gateway validates each post to a route; any signature error returns the same 401. [B33 B54]',
  }),
  ...observedAtReference.gateway({
    'signatures/raw-body': 'The signature covers the body byte by byte as received.',
    'signatures/precedence':
      'The first scheme whose header is present decides; if it fails, no other is tried.',
    'signatures/repeated-header': 'Only the first value of a repeated signature header counts.',
    'signatures/header-names':
      'Header names are case-insensitive, and an empty header counts as absent.',
    'signatures/every-scheme': 'Every route accepts every scheme, with its one secret.',
  }),
  ...stated.gateway({
    'signatures/github':
      'X-Hub-Signature-256 is "sha256=" and the HMAC-SHA256 of the body in lower-case hex. [B54 B56]',
    'signatures/provider-token':
      'A header X-<provider>-Token that equals the secret authenticates a post. [B57]',
  }),
  ...observedAtReference.gateway({
    'signatures/generic':
      'X-Webhook-Signature is the HMAC-SHA256 of the body in lower-case hex, without a prefix.',
    'signatures/generic-v2':
      'X-Webhook-Signature-V2 signs X-Webhook-Timestamp, a dot and the body, and requires that header.',
  }),
  ...observedAt('reference gateway, second half of 2026').gateway({
    'signatures/linear': 'Linear-Signature is the HMAC-SHA256 of the body in lower-case hex.',
  }),
  ...observedAtReference.gateway({
    'signatures/svix':
      'svix-signature is "v1," and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots.',
    'signatures/svix-headers':
      'Any of the three svix headers selects that scheme, which requires all three.',
  }),
  ...observedAt('reference gateway, second half of 2026').gateway({
    'signatures/standard':
      'webhook-signature works like svix-signature; webhook-id and webhook-timestamp select nothing.',
  }),
  ...observedAtReference.gateway({
    'signatures/several-entries':
      'Of several signatures in a header one valid signature is enough; only v1 is checked.',
    'signatures/base64-secret':
      'After "whsec_" strict padded base64 is the key of svix and standard signatures.',
    'signatures/utf8-secret':
      'In all other cases the key is the secret in UTF-8, even if it looks like base64.',
  }),
  ...stated.gateway({
    'signatures/stripe':
      'Stripe-Signature has the time t, and as v1 the hex HMAC-SHA256 of t, a dot and the body. [B2]',
  }),
  ...observedAtReference.gateway({
    'signatures/window':
      'A signed time more than 300 seconds from the clock, before or after, is rejected.',
    'signatures/non-ascii':
      'A non-ASCII signature is rejected; a non-ASCII token is compared in UTF-8.',
    'signatures/other-headers':
      'Other signature headers, such as X-Hub-Signature with SHA-1, count as no signature.',
  }),
  ...stated.gateway({
    'signatures/no-open-route':
      'No route is open: "INSECURE_NO_AUTH" as a secret counts as a missing secret. [B33]',
    'signatures/no-empty-secret':
      'A route with an empty or missing secret accepts no post. [B33 B54]',
    'signatures/own-secret':
      'The secret of a route takes precedence; only a route without that member uses the global one. [B54 B55]',
  }),
  ...chosen.gateway({
    'signatures/token-order':
      'X-Gitlab-Token precedes other tokens, which come last; one valid token is enough.',
    'signatures/linear-window':
      'A post of Linear whose webhookTimestamp is more than 60 seconds from the clock is rejected.',
    'signatures/wall-clock':
      'On a real clock a signed time is compared with the time of day at which the post arrives.',
    'signatures/slack':
      'X-Slack-Signature is "v0=" and the hex HMAC of v0, its timestamp and the body, joined by colons.',
    'signatures/pagerduty':
      'X-PagerDuty-Signature lists "v1=" and the hex HMAC-SHA256 of the body; one that is valid is enough.',
    'signatures/bare-base64':
      'A svix or standard secret that is base64 without "whsec_" is a key in base64 as well.',
    'signatures/timestamp-digits':
      'A signed time consists of decimal digits only; any other text is rejected.',
    'signatures/hidden':
      "No secret of 4 or more characters appears in a reply, a log line or the gateway's journal.",
  }),
} as const satisfies Rules
