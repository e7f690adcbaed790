// The webhook gateway on HTTP: its two paths, the order of its checks, and all its replies.

import {
  gateway,
  type Endpoints,
  type Refusals,
  type Rules,
  stated,
  chosen,
  observedAtReference,
} from '../language.ts'
import { any, anyObject, anyOf, count, list, object, oneOf, optional, text } from '../schema.ts'
import { refusal } from '../refusal.ts'
import { get, post } from '../endpoint.ts'
import { operationEndpoints } from './operations.ts'

/**
 * The checks of a POST to a route, in order: the first one that fails determines the reply. `answers` names a refusal
 * or an outcome; a step without one cannot fail.
 */
export const checks = [
  { step: 'check the subscriptions file, and reload it if it changed' },
  { step: 'find the route', answers: ['unknownRoute'] },
  { step: 'check that the route is enabled', answers: ['routeDisabled'] },
  { step: 'check that the gateway is not stopping', answers: ['stopping'] },
  { step: 'compare the Content-Length with the limit', answers: ['payloadTooLarge'] },
  {
    step: 'read the body',
    answers: ['payloadTooLarge', 'tooManyBodies', 'tooSlow', 'badRequest'],
  },
  { step: 'validate the signature', answers: ['invalidSignature'] },
  {
    step: 'unless it is delivered directly, check that one more run can wait',
    answers: ['tooManyRuns'],
  },
  { step: 'count the post against the rate limit of the route', answers: ['rateLimited'] },
  { step: 'parse the body', answers: ['cannotParse'] },
  { step: 'compare the event type with the filter', answers: ['ignored'] },
  { step: 'render the prompt and the members of deliver_extra', answers: ['textTooLong'] },
  { step: 'check whether the delivery id is known', answers: ['duplicate'] },
  {
    step: 'with a store, keep the post',
    answers: ['notStored', 'deliveryUnderWay'],
  },
  {
    step: 'deliver the text, or start the agent run',
    answers: ['delivered', 'deliveryFailed', 'accepted'],
  },
] as const

/** Headers that name the event type, in order; the first non-empty one decides. */
export const eventHeaders = ['X-GitHub-Event', 'X-Gitlab-Event'] as const
/** Members of the payload that name the event type if no header does, in order. */
export const eventMembers = ['event_type', 'type'] as const
/** Where a route is as well at a gateway that serves several profiles. */
export const profilePath = '/p/{profile}/webhooks/{name}'

/** Bounds of the JSON reader of Python, as it meets them in the reference gateway: beyond them it fails with 500. */
export const pythonBounds = { depth: 977, integerDigits: 4300 } as const

/** The event type of a post that names none. */
export const unknownEvent = 'unknown'

/** Headers that carry the delivery id, in order; the first non-empty one decides. */
export const deliveryIdHeaders = [
  'X-GitHub-Delivery',
  'svix-id',
  'webhook-id',
  'Linear-Delivery',
  'Idempotency-Key',
  'X-Request-ID',
] as const
/** Those of senders that the reference gateway of July 2026 does not understand, or whose retries it does not see. */
export const laterIdHeaders: ReadonlySet<string> = new Set([
  'webhook-id',
  'Linear-Delivery',
  'Idempotency-Key',
])
/** The field of a form body that holds the JSON payload. */
export const formField = 'payload'

export const gatewayHealth = object({
  status: oneOf('ok', 'degraded'),
  platform: oneOf('webhook'),
  /** What is wrong, if it is degraded. */
  reasons: optional(list(text)),
  /** Agent runs: how many the agent executes, how many wait for their answer, and the bytes of those. */
  runs: optional(object({ at_work: count, waiting: count, waiting_bytes: count })),
})

export const webhookPayload = { ...anyObject } as const

export const webhookAccepted = object({
  status: oneOf('accepted'),
  route: text,
  event: any,
  delivery_id: text,
})

export const webhookDelivered = object({
  status: oneOf('delivered'),
  route: text,
  target: text,
  delivery_id: text,
})

export const webhookDuplicate = object({ status: oneOf('duplicate'), delivery_id: text })

export const webhookIgnored = object({ status: oneOf('ignored'), event: any })

export const webhookFailed = object({
  status: oneOf('error'),
  error: oneOf('Delivery failed'),
  delivery_id: text,
})

export const webhookProcessed = anyOf(webhookDelivered, webhookDuplicate, webhookIgnored)

export const webhookRefusal = object({ error: text })

/** The replies to a post that the gateway processed, members in this order. */
export const outcomes = {
  accepted: refusal(202, 'The agent run is scheduled. The reply does not wait for it.', {
    json: {
      status: 'accepted',
      route: '{name}',
      event: '{event}',
      delivery_id: '{delivery_id}',
    },
  }),
  delivered: refusal(200, 'The target of a direct delivery accepted the text.', {
    json: {
      status: 'delivered',
      route: '{name}',
      target: '{deliver}',
      delivery_id: '{delivery_id}',
    },
  }),
  duplicate: refusal(200, 'The route received the same delivery id within the last hour.', {
    json: { status: 'duplicate', delivery_id: '{delivery_id}' },
  }),
  ignored: refusal(200, 'The event type is not one of those that the route lists.', {
    json: { status: 'ignored', event: '{event}' },
  }),
  deliveryFailed: refusal(
    502,
    'The target of a direct delivery rejected the text or did not reply.',
    { json: { status: 'error', error: 'Delivery failed', delivery_id: '{delivery_id}' } },
  ),
} as const satisfies Refusals

/** The replies to a post that the gateway did not process, and to all other paths. */
export const gatewayRefusals = {
  internal: refusal(500, 'The gateway fails: no post of a sender causes this.', {
    json: { error: 'Internal error' },
  }),
  badRequest: refusal(400, 'The body could not be read to its end.', {
    json: { error: 'Bad request' },
  }),
  cannotParse: refusal(
    400,
    'The body is not a JSON object, nor a form with one in its field `payload`.',
    { json: { error: 'Cannot parse body' } },
  ),
  invalidSignature: refusal(
    401,
    'The signature is wrong, missing, stale or malformed: all get the same reply.',
    { json: { error: 'Invalid signature' } },
  ),
  routeDisabled: refusal(403, 'The member `enabled` of the route is false.', {
    json: { error: 'Route disabled: {name}' },
  }),
  unknownRoute: refusal(404, 'No route has this name.', {
    json: { error: 'Unknown route: {name}' },
  }),
  payloadTooLarge: refusal(
    413,
    'The body is larger than the limit, with or without a declared length.',
    { json: { error: 'Payload too large' } },
  ),
  textTooLong: refusal(
    413,
    'The rendered template, or a rendered member of deliver_extra, exceeds its limit.',
    { json: { error: 'Rendered text too large' } },
  ),
  tooManyRuns: refusal(
    503,
    'The gateway has no space for another waiting agent run; the delivery id stays new.',
    { json: { error: 'Too many runs waiting' }, headers: { 'Retry-After': '{seconds}' } },
  ),
  draining: refusal(503, 'GET /ready while the gateway stops.', { json: { status: 'draining' } }),
  metricsForbidden: refusal(403, 'GET /metrics from elsewhere, without the control token.', {
    json: { error: '{why}' },
  }),
  tooManyBodies: refusal(
    503,
    'Unfinished bodies hold all the memory that they may, and this one stalls longest.',
    {
      json: { error: 'Too many unfinished bodies' },
      headers: { 'Retry-After': '10', Connection: 'close' },
    },
  ),
  tooSlow: refusal(408, 'The head or the body of the request takes too long.', {
    json: { error: 'Request timeout' },
    headers: { Connection: 'close' },
  }),
  stopping: refusal(503, 'The gateway is stopping; the post is for the next one.', {
    json: { error: 'Gateway is stopping' },
    headers: { 'Retry-After': '10' },
  }),
  notStored: refusal(503, 'The store of the gateway cannot keep the post; its id stays new.', {
    json: { error: 'Cannot store the event' },
    headers: { 'Retry-After': '5' },
  }),
  deliveryUnderWay: refusal(
    503,
    'Another gateway of the same store is delivering the post with this id.',
    { json: { error: 'Delivery under way' }, headers: { 'Retry-After': '5' } },
  ),
  rateLimited: refusal(429, 'The route accepted as many posts as its window allows.', {
    json: { error: 'Rate limit exceeded' },
  }),
  gatewayPath: refusal(404, 'Any other path, including a route with a trailing slash.', {
    text: '404: Not Found',
    raised: true,
  }),
  gatewayMethod: refusal(405, 'A method that the path does not support.', {
    text: '405: Method Not Allowed',
    headers: { Allow: '{methods}' },
    raised: true,
  }),
} as const satisfies Refusals

export const endpoints = {
  gatewayHealth: get('/health', gateway, {
    does: 'Reports that the gateway is up.',
    replies: { 200: gatewayHealth },
  }),
  ...operationEndpoints,
  webhook: post('/webhooks/{name}', gateway, {
    does: 'Accepts an event of a sender, which triggers the route of this name.',
    body: webhookPayload,
    bodyIsOptional: true,
    replies: {
      200: webhookProcessed,
      202: webhookAccepted,
      400: webhookRefusal,
      401: webhookRefusal,
      403: webhookRefusal,
      404: webhookRefusal,
      408: webhookRefusal,
      413: webhookRefusal,
      429: webhookRefusal,
      503: webhookRefusal,
      502: webhookFailed,
    },
  }),
} as const satisfies Endpoints

export const rules = {
  ...stated.gateway({
    'webhooks/health':
      'GET /health of the gateway returns 200 with `status` "ok" and `platform` "webhook". [B31]',
  }),
  ...observedAtReference.gateway({
    'webhooks/health-is-free':
      'GET and HEAD of /health need no signature and no route, and do not count for a rate limit.',
  }),
  ...stated.gateway({
    'webhooks/path':
      'A route accepts POST at /webhooks/<name>, the address that subscribing returned. [B1 B2 B32]',
  }),
  ...observedAtReference.gateway({
    'webhooks/encoded-name':
      'The name in the path is percent-decoded and case-sensitive, and the query is ignored.',
    'webhooks/encoded-path':
      'Words of a path can be percent-encoded as well: /%68ealth is /health.',
    'webhooks/unknown-route': 'A post to an unknown route returns 404 and repeats the name.',
    'webhooks/other-paths':
      'Other paths of the gateway return 404, other methods 405 with Allow, both with a text.',
    'webhooks/json-replies':
      'The replies of a route are JSON objects in UTF-8; errors contain `error`.',
    'webhooks/order':
      'The checks of a post run in the order of their table, and the first that fails replies.',
    'webhooks/disabled':
      'A route whose `enabled` is exactly false returns 403; without that member it is enabled.',
    'webhooks/declared-size':
      'A post that declares more than 1 MiB returns 413, signed or not, before its body is read.',
    'webhooks/chunked-size':
      'The body limit also applies without a declared length: a post above it returns 413.',
    'webhooks/size-setting':
      'The setting max_body_bytes is the limit of a body; a body of exactly that size is accepted.',
  }),
  ...stated.gateway({
    'webhooks/json-body':
      'The JSON object in the body of a post is its payload, whatever its Content-Type. [B59]',
  }),
  ...observedAtReference.gateway({
    'webhooks/empty-body':
      'An empty body is the payload {}; a byte order mark before the JSON is ignored.',
    'webhooks/refused-early':
      'The gateway answers a post to an unknown or disabled route without waiting for its body.',
    'webhooks/event-header':
      'The event type is the first non-empty of X-GitHub-Event and X-Gitlab-Event.',
    'webhooks/event-member':
      'Without those headers it is the `event_type` of the payload, else its `type`, unless falsy.',
    'webhooks/event-value':
      'A non-text event type is kept and matches no filter; the default is "unknown".',
  }),
  ...stated.gateway({
    'webhooks/filter':
      'An event type that the `events` of its route do not list triggers nothing. [B11 B34 B60]',
  }),
  ...observedAtReference.gateway({
    'webhooks/filter-exact':
      'Event types match as a whole and case-sensitively, without wildcards or added actions.',
  }),
  ...stated.gateway({
    'webhooks/filter-empty':
      'A route without `events`, or with an empty list, accepts every event type. [B11]',
  }),
  ...observedAtReference.gateway({
    'webhooks/filter-of-nothing':
      'A filter of only empty names, such as `[""]` or ",", matches no event.',
    'webhooks/ignored': 'An event that does not match returns 200 "ignored" with its type.',
  }),
  ...stated.gateway({
    'webhooks/rate-limit':
      'A route accepts 30 posts within a sliding window of 60 seconds; the next one returns 429. [B63]',
  }),
  ...observedAtReference.gateway({
    'webhooks/rate-counts':
      'Each post with a valid signature counts, whatever its outcome, unless it returns 429 or 503.',
    'webhooks/rate-per-route':
      'Each route has a separate window; the setting rate_limit sizes them all, and 0 rejects all.',
  }),
  ...stated.gateway({
    'webhooks/duplicate':
      'A post with an id that its route already received returns 200 "duplicate" and does nothing. [B64]',
  }),
  ...observedAtReference.gateway({
    'webhooks/id-lifetime':
      'The gateway knows an id for 3600 seconds from its first post; a duplicate does not extend this.',
    'webhooks/accepted':
      'A post that starts an agent run returns 202 immediately, with its route, event and id.',
  }),
  ...stated.gateway({
    'webhooks/delivered':
      'A direct delivery that succeeds returns 200 "delivered" with its route, target and id. [B37]',
    'webhooks/delivery-failed':
      'A direct delivery whose target fails returns 502 with its id, but without the reason. [B38]',
    'webhooks/direct-is-checked':
      'A direct delivery passes the signature, rate limit and delivery id checks like a run. [B39]',
  }),
  ...chosen.gateway({
    'webhooks/like': 'With --like a gateway has the quirks and the Server header of that gateway.',
    'webhooks/mutant':
      'With --mutant a gateway has one deliberate fault, and the command prints the rules it breaks.',
    'webhooks/steady-time':
      'Limits, ids, retries and time-outs go on alike when the time of day is set back or ahead.',
    'webhooks/health-runs':
      '/health contains in `runs` the number of active and of waiting agent runs, and the waiting bytes.',
    'webhooks/log':
      '`gateway run` logs one line per post, run and delivery: route, event, id and outcome.',
    'webhooks/log-worlds':
      'Gateways below /w/NAME are logged like the one at the root, with their names.',
    'webhooks/log-refusals': 'A rejected post is logged as a warning with the reason.',
    'webhooks/log-signatures':
      'For a signature that is its scheme, what it lacks, other such headers, the length and coding.',
    'webhooks/log-paths': 'A post to a path without a route is logged with that path.',
    'webhooks/packed-body':
      'A body in gzip, deflate or br is unpacked; its signature covers it as it came, or unpacked.',
    'webhooks/packed-size':
      'A body that unpacks to more than the limit returns 413, signed or not, and is never held whole.',
    'webhooks/charset':
      'A body is read in the charset of its Content-Type; without a known one in UTF-8.',
    'webhooks/log-origin':
      'A rejected post is logged with its address and id, and with the address a proxy forwarded it for.',
    'webhooks/log-methods':
      'A method that a path does not accept is logged as a warning, and so is what is not valid HTTP.',
    'webhooks/log-fields':
      'With --json-log, lines about posts, runs, answers and deliveries have route and id as fields.',
    'webhooks/form-body': 'A form body contains its JSON payload in the field `payload`.',
    'webhooks/unparsable-body':
      'Broken JSON or UTF-8, an array, a scalar or another form returns 400, with any headers.',
    'webhooks/deep-body': 'A payload that is nested more than 1000 levels deep returns 400.',
    'webhooks/answered-in-order':
      'The gateway answers a post after everything due before it and before the effects of the post.',
    'webhooks/no-500': 'No post of a sender returns 500 or crashes the gateway.',
    'webhooks/id-header':
      'Without an id of its scheme a post has the first non-empty header of six as its delivery id.',
    'webhooks/id-scheme':
      'An id where the scheme has it precedes the general headers: retries repeat it, proxies do not.',
    'webhooks/id-stripe':
      'A post that Stripe signed has the `id` of its payload as its delivery id.',
    'webhooks/id-member':
      'Likewise, a post of Slack has the `event_id`, one of PagerDuty the `id` of its `event`.',
    'webhooks/event-scheme':
      'If no general header names the event type, it is where the scheme has it, as X-Shopify-Topic.',
    'webhooks/id-made': 'The gateway assigns a unique id to a post without one.',
    'webhooks/id-restarts':
      'Ids that `gateway run` assigns differ from those before a restart; with a seed they repeat.',
    'webhooks/id-per-route':
      'The gateway remembers ids per route: the same id at another route is new.',
    'webhooks/id-recorded':
      'An id is recorded when its post is accepted: rejected and ignored posts leave it new.',
    'webhooks/id-forgotten':
      'A direct delivery that fails removes its id, so that a retry is delivered.',
    'webhooks/repeat-waits':
      'A repeat of a direct delivery in progress waits for its end: 200 "duplicate", or also 502.',
    'webhooks/ids-bounded':
      'The gateway remembers 100,000 ids; beyond that it removes the oldest first.',
  }),
} as const satisfies Rules
