// Signatures: each signature scheme as a row of a table, in order of precedence.

import { type Rules, chosen, stated, observedAtReference, observedAt } from '../language.ts'
import { limits } from '../limits.ts'
import { anyOf, closed, name, oneOf, options, text } from '../schema.ts'

/** Where a post says something: in a header, in an item `name=value` of the signature header, or in its payload. */
export type Place =
  | { readonly header: string }
  | { readonly item: string }
  /** A path of names, joined by dots. */
  | { readonly member: string }

export type Scheme = {
  /** The header with the signature; `<...>` in its name stands for any words. */
  readonly header: string
  /** The headers of which one that is not empty selects the scheme, on a route that names none. */
  readonly selectedBy: readonly string[]
  /** The hash of the HMAC; with `none` the header carries the secret itself. */
  readonly algorithm: 'sha256' | 'sha512' | 'sha1' | 'none'
  /** How the digest is written, or with `none` the secret. */
  readonly encoding: 'hex' | 'base64' | 'text'
  /** What stands in front of it. */
  readonly prefix: string
  /** What is signed: a text in which `{body}`, `{time}`, `{id}` and `{url}` stand for parts of the post. */
  readonly signs: string
  /** What separates several signatures, and other items, in the header: one valid signature is enough. */
  readonly separator?: ' ' | ',' | ';'
  /** The key of the HMAC: the secret in UTF-8, or what is base64 after `whsec_`. */
  readonly key: 'text' | 'base64'
  /** Where the time of the message stands, in seconds since 1970 or in milliseconds. */
  readonly time?: Place
  readonly time_unit?: 's' | 'ms'
  /** The maximum difference between that time and the clock of the gateway. */
  readonly window_seconds: number
  /** Where the delivery id stands that retries repeat, and the event type. */
  readonly id?: Place
  readonly event?: Place
}

/** A scheme as config.yaml declares it: a route has to name it. */
export type OwnScheme = Omit<Partial<Scheme>, 'selectedBy'> & Pick<Scheme, 'header'>

/** A scheme whose header selects it: unless it says otherwise, that is the digest of the body in hex. */
const scheme = (header: string, more: Partial<Scheme> = {}): Scheme => ({
  selectedBy: [header],
  header,
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  signs: '{body}',
  key: 'text',
  window_seconds: limits.signatureWindow.value,
  ...more,
})

/** The scheme of Svix and of Standard Webhooks, whose headers have a common beginning. */
const standard = (start: string, more: Partial<Scheme> = {}): Scheme =>
  scheme(`${start}-signature`, {
    signs: '{id}.{time}.{body}',
    encoding: 'base64',
    prefix: 'v1,',
    separator: ' ',
    key: 'base64',
    id: { header: `${start}-id` },
    time: { header: `${start}-timestamp` },
    ...more,
  })

const secretItself = { algorithm: 'none', encoding: 'text', signs: '' } as const

/** A scheme of config.yaml with all its defaults. */
export const ownScheme = ({ header, ...more }: OwnScheme): Scheme =>
  scheme(header, { ...(more.algorithm === 'none' && secretItself), ...more, selectedBy: [] })

/** The schemes by name. On a route that names none the first one that is present decides. */
export const schemes = {
  svix: standard('svix', { selectedBy: ['svix-id', 'svix-timestamp', 'svix-signature'] }),
  standard: standard('webhook'),
  stripe: scheme('Stripe-Signature', {
    signs: '{time}.{body}',
    prefix: 'v1=',
    separator: ',',
    time: { item: 't' },
    id: { member: 'id' },
  }),
  linear: scheme('Linear-Signature', {
    time: { member: 'webhookTimestamp' },
    time_unit: 'ms',
    window_seconds: limits.linearWindow.value,
    id: { header: 'Linear-Delivery' },
  }),
  slack: scheme('X-Slack-Signature', {
    signs: 'v0:{time}:{body}',
    prefix: 'v0=',
    time: { header: 'X-Slack-Request-Timestamp' },
    id: { member: 'event_id' },
  }),
  pagerduty: scheme('X-PagerDuty-Signature', {
    prefix: 'v1=',
    separator: ',',
    id: { member: 'event.id' },
    event: { member: 'event.event_type' },
  }),
  shopify: scheme('X-Shopify-Hmac-SHA256', {
    encoding: 'base64',
    id: { header: 'X-Shopify-Webhook-Id' },
    event: { header: 'X-Shopify-Topic' },
  }),
  sentry: scheme('Sentry-Hook-Signature', {
    id: { header: 'Request-ID' },
    event: { header: 'Sentry-Hook-Resource' },
  }),
  typeform: scheme('Typeform-Signature', {
    encoding: 'base64',
    prefix: 'sha256=',
    id: { member: 'event_id' },
  }),
  grafana: scheme('X-Grafana-Alerting-Signature', { event: { member: 'status' } }),
  github: scheme('X-Hub-Signature-256', {
    prefix: 'sha256=',
    id: { header: 'X-GitHub-Delivery' },
    event: { header: 'X-GitHub-Event' },
  }),
  gitea: scheme('X-Gitea-Signature', {
    id: { header: 'X-Gitea-Delivery' },
    event: { header: 'X-Gitea-Event' },
  }),
  gogs: scheme('X-Gogs-Signature', {
    id: { header: 'X-Gogs-Delivery' },
    event: { header: 'X-Gogs-Event' },
  }),
  jira: scheme('X-Hub-Signature', {
    selectedBy: ['X-Atlassian-Webhook-Identifier'],
    prefix: 'sha256=',
    id: { header: 'X-Atlassian-Webhook-Identifier' },
    event: { member: 'webhookEvent' },
  }),
  bitbucket: scheme('X-Hub-Signature', {
    prefix: 'sha256=',
    id: { header: 'X-Request-UUID' },
    event: { header: 'X-Event-Key' },
  }),
  gitlab: scheme('X-Gitlab-Token', {
    ...secretItself,
    id: { header: 'Idempotency-Key' },
    event: { header: 'X-Gitlab-Event' },
  }),
  'generic-v2': scheme('X-Webhook-Signature-V2', {
    signs: '{time}.{body}',
    time: { header: 'X-Webhook-Timestamp' },
  }),
  generic: scheme('X-Webhook-Signature'),
  token: scheme('X-<provider>-Token', secretItself),
  // Programs in front of a gateway use this header too: a route must ask for it.
  bearer: ownScheme({ header: 'Authorization', algorithm: 'none', prefix: 'Bearer ' }),
  basic: ownScheme({
    header: 'Authorization',
    algorithm: 'none',
    encoding: 'base64',
    prefix: 'Basic ',
  }),
} as const satisfies Readonly<Record<string, Scheme>>
export type SchemeName = keyof typeof schemes

const headerName = {
  type: 'string',
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
  description: 'the name of a header',
} as const
const inHeader = closed({ header: headerName })
const inPayload = closed({
  member: { ...name, description: 'a path of names in the payload, joined by dots' },
})
const inItem = closed({ item: { ...name, description: 'an item `name=` of the signature header' } })
const place = anyOf(inHeader, inItem, inPayload)

/** The JSON Schema of a scheme of config.yaml. */
export const ownSchemeSchema = {
  ...options({
    header: { ...headerName, description: 'the header with the signature' },
    algorithm: {
      ...oneOf('sha256', 'sha512', 'sha1', 'none'),
      description: 'the hash of the HMAC; none if the header carries the secret itself',
    },
    encoding: {
      ...oneOf('hex', 'base64', 'text'),
      description: 'how the digest is written; text for a secret itself',
    },
    prefix: { ...text, description: 'what stands in front of the digest, such as sha256=' },
    signs: {
      ...name,
      description: 'what is signed, with {body}, {time}, {id} and {url}, such as {time}.{body}',
    },
    separator: {
      ...oneOf(' ', ',', ';'),
      description: 'what separates several signatures and other items in the header',
    },
    key: {
      ...oneOf('text', 'base64'),
      description: 'how the secret becomes the key; base64 after whsec_, if that is there',
    },
    time: {
      ...place,
      description: 'where the time stands',
    },
    time_unit: { ...oneOf('s', 'ms'), description: 'seconds or milliseconds since 1970' },
    window_seconds: {
      type: 'integer',
      minimum: 1,
      maximum: 86_400,
      description: 'how far the time may be from the clock of the gateway',
    },
    id: { ...place, description: 'where the delivery id stands that retries repeat' },
    event: { ...anyOf(inHeader, inPayload), description: 'where the event type stands' },
  }),
  required: ['header'],
} as const

/** The form of the name of a scheme. */
export const schemeName = /^[a-z0-9][a-z0-9_-]*$/

/** The headers of the scheme `token`, in lower case. */
export const tokenHeader = /^x-[a-z0-9]+(-[a-z0-9]+)*-token$/

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
    'signatures/every-scheme':
      'A route that names no scheme accepts every scheme, with its one secret.',
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
    'signatures/shopify': 'X-Shopify-Hmac-SHA256 is the HMAC-SHA256 of the body in base64.',
    'signatures/sentry': 'Sentry-Hook-Signature is the HMAC-SHA256 of the body in lower-case hex.',
    'signatures/typeform':
      'Typeform-Signature is "sha256=" and the HMAC-SHA256 of the body in base64.',
    'signatures/grafana':
      'X-Grafana-Alerting-Signature is the HMAC-SHA256 of the body in lower-case hex.',
    'signatures/gitea': 'X-Gitea-Signature is the HMAC-SHA256 of the body in lower-case hex.',
    'signatures/gogs': 'X-Gogs-Signature is the HMAC-SHA256 of the body in lower-case hex.',
    'signatures/bitbucket':
      'X-Hub-Signature is "sha256=" and the HMAC-SHA256 of the body in lower-case hex.',
    'signatures/jira':
      'X-Atlassian-Webhook-Identifier selects the scheme of Jira, which signs like Bitbucket.',
    'signatures/named-scheme': 'A route that names its scheme accepts posts of that scheme only.',
    'signatures/bearer':
      'Authorization is "Bearer " and the secret, at a route that names the scheme bearer.',
    'signatures/basic':
      'Authorization is "Basic " and the secret USER:PASSWORD in base64, at a route that names basic.',
    'signatures/own-scheme':
      'config.yaml declares schemes: header, hash, encoding, what is signed, places of time and id.',
    'signatures/own-scheme-checked':
      'A scheme that is incomplete, or leaves body or time unsigned, is rejected with its place.',
    'signatures/signed-url':
      '`{url}` in a scheme is the public base URL, else http:// and Host, and the target of the post.',
    'signatures/bare-base64':
      'A svix or standard secret that is base64 without "whsec_" is a key in base64 as well.',
    'signatures/timestamp-digits':
      'A signed time consists of decimal digits only; any other text is rejected.',
    'signatures/old-secret':
      'Each of the `old_secrets` of a route counts like its secret until the time of day in `valid_until`.',
    'signatures/replayed':
      'Journal and recording keep the headers in which a scheme names id, event and time of a post.',
    'signatures/hidden':
      "No secret of 4 or more characters appears in a reply, a log line or the gateway's journal.",
  }),
} as const satisfies Rules
