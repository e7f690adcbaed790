// The webhook gateway on HTTP: its two paths, the order of its checks, and every answer that it gives.

import { gateway, type Endpoints, type Refusals, type Rules, type Schema } from '../language.ts'

/** Port and address of the gateway where nothing else is configured. */
export const gatewayAddress = { scheme: 'http', host: '127.0.0.1', port: 8644 } as const

/**
 * The checks of a POST to a route, in their order: the first one that fails answers. `answers` names a refusal or an
 * outcome; a step without one cannot fail.
 */
export const checks = [
  { step: 'look at the subscriptions file, and load it where it changed' },
  { step: 'find the route', answers: ['unknownRoute'] },
  { step: 'see whether the route is enabled', answers: ['routeDisabled'] },
  { step: 'compare the Content-Length with the limit', answers: ['payloadTooLarge'] },
  { step: 'read the body', answers: ['payloadTooLarge', 'badRequest'] },
  { step: 'validate the signature', answers: ['invalidSignature'] },
  { step: 'count the post against the rate limit of the route', answers: ['rateLimited'] },
  { step: 'parse the body', answers: ['cannotParse'] },
  { step: 'compare the event type with the filter', answers: ['ignored'] },
  { step: 'render the prompt and the members of deliver_extra', answers: ['textTooLong'] },
  { step: 'look whether the delivery id was seen', answers: ['duplicate'] },
  { step: 'see whether one more run can wait for the agent', answers: ['tooManyRuns'] },
  {
    step: 'deliver the text, or start the agent run',
    answers: ['delivered', 'deliveryFailed', 'accepted'],
  },
] as const

/** Headers that name the event type, in order; the first one that is not empty decides. */
export const eventHeaders = ['X-GitHub-Event', 'X-Gitlab-Event'] as const
/** Members of the payload that name the event type where no header does, in order. */
export const eventMembers = ['event_type', 'type'] as const
/** Where a route is as well at a gateway that serves several profiles. */
export const profilePath = '/p/{profile}/webhooks/{name}'

/** Bounds of the JSON reader of Python, as it meets them in the reference gateway: beyond them it fails with 500. */
export const pythonBounds = { depth: 977, integerDigits: 4300 } as const

/** The event type of a post that names none. */
export const unknownEvent = 'unknown'

/** Headers that carry the delivery id, in order; the first one that is not empty decides. */
export const deliveryIdHeaders = [
  'X-GitHub-Delivery',
  'svix-id',
  'webhook-id',
  'X-Request-ID',
] as const
/** The member of a payload that is its delivery id, where the scheme of its signature is this one. */
export const deliveryIdMember = { scheme: 'stripe', member: 'id' } as const

/** The field of a form body that holds the JSON payload. */
export const formField = 'payload'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const

export const gatewayHealth = {
  type: 'object',
  properties: {
    status: { enum: ['ok'] },
    platform: { enum: ['webhook'] },
    /** Agent runs: those that an agent has, those that wait for their answer, and the bytes that these hold. */
    runs: {
      type: 'object',
      properties: { at_work: count, waiting: count, waiting_bytes: count },
      required: ['at_work', 'waiting', 'waiting_bytes'],
    },
  },
  required: ['status', 'platform'],
} as const satisfies Schema

export const webhookPayload = { type: 'object' } as const satisfies Schema

export const webhookAccepted = {
  type: 'object',
  properties: { status: { enum: ['accepted'] }, route: text, event: {}, delivery_id: text },
  required: ['status', 'route', 'event', 'delivery_id'],
} as const satisfies Schema

export const webhookDelivered = {
  type: 'object',
  properties: { status: { enum: ['delivered'] }, route: text, target: text, delivery_id: text },
  required: ['status', 'route', 'target', 'delivery_id'],
} as const satisfies Schema

export const webhookDuplicate = {
  type: 'object',
  properties: { status: { enum: ['duplicate'] }, delivery_id: text },
  required: ['status', 'delivery_id'],
} as const satisfies Schema

export const webhookIgnored = {
  type: 'object',
  properties: { status: { enum: ['ignored'] }, event: {} },
  required: ['status', 'event'],
} as const satisfies Schema

export const webhookFailed = {
  type: 'object',
  properties: {
    status: { enum: ['error'] },
    error: { enum: ['Delivery failed'] },
    delivery_id: text,
  },
  required: ['status', 'error', 'delivery_id'],
} as const satisfies Schema

export const webhookProcessed = {
  anyOf: [webhookDelivered, webhookDuplicate, webhookIgnored],
} as const satisfies Schema

export const webhookRefusal = {
  type: 'object',
  properties: { error: text },
  required: ['error'],
} as const satisfies Schema

/** What a post that was processed is answered, members in this order. */
export const outcomes = {
  accepted: {
    status: 202,
    when: 'The agent run was scheduled. The answer does not wait for it.',
    body: {
      json: {
        status: 'accepted',
        route: '{name}',
        event: '{event}',
        delivery_id: '{delivery_id}',
      },
    },
  },
  delivered: {
    status: 200,
    when: 'The target of a direct delivery took the text.',
    body: {
      json: {
        status: 'delivered',
        route: '{name}',
        target: '{deliver}',
        delivery_id: '{delivery_id}',
      },
    },
  },
  duplicate: {
    status: 200,
    when: 'The route has seen the delivery id within the last hour.',
    body: { json: { status: 'duplicate', delivery_id: '{delivery_id}' } },
  },
  ignored: {
    status: 200,
    when: 'The event type is none of those that the route lists.',
    body: { json: { status: 'ignored', event: '{event}' } },
  },
  deliveryFailed: {
    status: 502,
    when: 'The target of a direct delivery refused the text, or did not answer.',
    body: {
      json: { status: 'error', error: 'Delivery failed', delivery_id: '{delivery_id}' },
    },
  },
} as const satisfies Refusals

/** What a post that was not processed is answered; also what every other path answers. */
export const gatewayRefusals = {
  internal: {
    status: 500,
    when: 'The gateway is at fault: nothing that a sender sends leads here.',
    body: { json: { error: 'Internal error' } },
  },
  badRequest: {
    status: 400,
    when: 'The body could not be read to its end.',
    body: { json: { error: 'Bad request' } },
  },
  cannotParse: {
    status: 400,
    when: 'The body is no JSON object, and no form with one in its field `payload`.',
    body: { json: { error: 'Cannot parse body' } },
  },
  invalidSignature: {
    status: 401,
    when: 'The signature is wrong, missing, stale or malformed: one answer for all.',
    body: { json: { error: 'Invalid signature' } },
  },
  routeDisabled: {
    status: 403,
    when: 'The member `enabled` of the route is false.',
    body: { json: { error: 'Route disabled: {name}' } },
  },
  unknownRoute: {
    status: 404,
    when: 'No route has this name.',
    body: { json: { error: 'Unknown route: {name}' } },
  },
  payloadTooLarge: {
    status: 413,
    when: 'The body is larger than the limit, whether its length was declared or not.',
    body: { json: { error: 'Payload too large' } },
  },
  textTooLong: {
    status: 413,
    when: 'The text that the template or a member of deliver_extra renders to is above its limit.',
    body: { json: { error: 'Rendered text too large' } },
  },
  tooManyRuns: {
    status: 503,
    when: 'As many agent runs wait as the gateway has room for; its id stays new.',
    body: { json: { error: 'Too many runs waiting' } },
    headers: { 'Retry-After': '10' },
  },
  rateLimited: {
    status: 429,
    when: 'The route has taken as many posts as its window has room for.',
    body: { json: { error: 'Rate limit exceeded' } },
  },
  gatewayPath: {
    status: 404,
    when: 'Any other path, a slash at the end of a route included.',
    body: { text: '404: Not Found' },
    raised: true,
  },
  gatewayMethod: {
    status: 405,
    when: 'Another method than those of the path.',
    body: { text: '405: Method Not Allowed' },
    headers: { Allow: '{methods}' },
    raised: true,
  },
} as const satisfies Refusals

export const endpoints = {
  gatewayHealth: {
    method: 'GET',
    path: '/health',
    on: gateway,
    does: 'Tells that the gateway is up.',
    replies: { 200: gatewayHealth },
  },
  webhook: {
    method: 'POST',
    path: '/webhooks/{name}',
    on: gateway,
    does: 'Takes an event of a sender: it triggers the route of this name.',
    body: webhookPayload,
    bodyIsOptional: true,
    replies: {
      200: webhookProcessed,
      202: webhookAccepted,
      400: webhookRefusal,
      401: webhookRefusal,
      403: webhookRefusal,
      404: webhookRefusal,
      413: webhookRefusal,
      429: webhookRefusal,
      503: webhookRefusal,
      502: webhookFailed,
    },
  },
} as const satisfies Endpoints

export const rules = {
  'webhooks/like': {
    says: 'With --like a gateway has the quirks of that gateway, and the header Server of its replies.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/health': {
    says: 'GET /health of the gateway answers 200 with `status` "ok" and `platform` "webhook".',
    basis: 'stated',
    on: gateway,
    carries: ['B31'],
  },
  'webhooks/health-is-free': {
    says: 'GET and HEAD of /health need no signature and no route, and count for no rate limit.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/health-runs': {
    says: '/health has in `runs` how many agent runs are at work and wait, and the bytes of the latter.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/path': {
    says: 'A route takes POST at /webhooks/<name>, the address that subscribing returned.',
    basis: 'stated',
    on: gateway,
    carries: ['B1', 'B2', 'B32'],
  },
  'webhooks/encoded-name': {
    says: 'The name in the path is percent-decoded, compared case by case, and the query ignored.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/encoded-path': {
    says: 'Words of a path can be percent-encoded as well: /%68ealth is /health.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/unknown-route': {
    says: 'A post to a name that no route has answers 404 and repeats the name.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/other-paths': {
    says: 'Other paths of the gateway answer 404, other methods 405 with Allow, both with a text.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/log': {
    says: '`gateway run` logs one line for each post, run and delivery: route, event, id, what became of it.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/log-refusals': {
    says: 'A refused post is logged as a warning with the reason, a signature with its scheme.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/json-replies': {
    says: 'What the handler of a route answers is a JSON object in UTF-8; refusals have `error`.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/order': {
    says: 'The checks of a post run in the order of their table, and the first that fails answers.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/disabled': {
    says: 'A route whose `enabled` is exactly false answers 403; without that member it is enabled.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/declared-size': {
    says: 'A post that declares more than 1 MiB answers 413, signed or not, before it is read.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/chunked-size': {
    says: 'The limit of a body holds where no length is declared: above it the post answers 413.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/size-setting': {
    says: 'The setting max_body_bytes is the limit of a body; one of exactly that size is taken.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/json-body': {
    says: 'The JSON object in the body of a post is its payload, whatever its Content-Type says.',
    basis: 'stated',
    on: gateway,
    carries: ['B59'],
  },
  'webhooks/empty-body': {
    says: 'An empty body is the payload {}; a byte order mark before the JSON is left out.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/form-body': {
    says: 'A form body holds its JSON payload in the field `payload`.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/unparsable-body': {
    says: 'Broken JSON or UTF-8, an array, a scalar or another form answers 400, with any headers.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/deep-body': {
    says: 'A payload nested more than 1000 levels deep answers 400.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/refused-early': {
    says: 'A post to an unknown or disabled route is answered without waiting for its body.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/answered-in-order': {
    says: 'A post is answered after all that was due before it and before what it brings about.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/no-500': {
    says: 'Nothing that a sender sends is answered 500, and nothing of it brings the gateway down.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/event-header': {
    says: 'The event type is the first of X-GitHub-Event and X-Gitlab-Event that is not empty.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/event-member': {
    says: 'Without one it is the `event_type` of the payload, or else its `type`, but no falsy one.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/event-value': {
    says: 'An event type that is no text is kept and matches no filter; without any it is "unknown".',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/filter': {
    says: 'An event type that the `events` of its route do not list triggers nothing.',
    basis: 'stated',
    on: gateway,
    carries: ['B11', 'B34', 'B60'],
  },
  'webhooks/filter-exact': {
    says: 'Event types are compared whole and case by case: no wildcards, no added actions.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/filter-empty': {
    says: 'A route without `events`, or with an empty list, takes every event type.',
    basis: 'stated',
    on: gateway,
    carries: ['B11'],
  },
  'webhooks/filter-of-nothing': {
    says: 'A filter of nothing but empty pieces, such as `[""]` or ",", lets no event through.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/ignored': {
    says: 'An event that does not match answers 200 "ignored" with its type.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/rate-limit': {
    says: 'A route takes 30 posts within 60 seconds, which slide; the next one answers 429.',
    basis: 'stated',
    on: gateway,
    carries: ['B63'],
  },
  'webhooks/rate-counts': {
    says: 'Each post with a valid signature counts, whatever becomes of it, unless it is answered 429.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/rate-per-route': {
    says: 'Each route has a window of its own; the setting rate_limit sizes them all, 0 refuses all.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/id-header': {
    says: 'The delivery id is the first not empty of X-GitHub-Delivery, svix-id, webhook-id, X-Request-ID.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/id-stripe': {
    says: 'A post that Stripe signed and no header identifies has the `id` of its payload.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/id-made': {
    says: 'A post without an id gets one of its own, which no other post has.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/id-restarts': {
    says: 'Ids that `gateway run` gives differ from those before a restart; with a seed they repeat.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/duplicate': {
    says: 'A post with an id that its route has seen answers 200 "duplicate" and does nothing.',
    basis: 'stated',
    on: gateway,
    carries: ['B64'],
  },
  'webhooks/id-lifetime': {
    says: 'An id is seen for 3600 seconds from its first post on; a duplicate does not prolong it.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/id-per-route': {
    says: 'Ids are remembered for each route: the same id at another route is new.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/id-recorded': {
    says: 'An id is recorded when its post is accepted: refused and ignored posts leave theirs new.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/id-forgotten': {
    says: 'A direct delivery that fails forgets its id, so that a retry is delivered.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/repeat-waits': {
    says: 'A repeat of a direct delivery under way waits for its end: 200 "duplicate", or 502 as well.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/ids-bounded': {
    says: 'The gateway remembers 100,000 ids; beyond that it forgets the oldest one first.',
    basis: 'chosen',
    on: gateway,
  },
  'webhooks/accepted': {
    says: 'A post that starts an agent run answers 202 at once, with its route, event and id.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'webhooks/delivered': {
    says: 'A direct delivery that succeeds answers 200 "delivered" with its route, target and id.',
    basis: 'stated',
    on: gateway,
    carries: ['B37'],
  },
  'webhooks/delivery-failed': {
    says: 'A direct delivery whose target fails answers 502 with its id, and not with the reason.',
    basis: 'stated',
    on: gateway,
    carries: ['B38'],
  },
  'webhooks/direct-is-checked': {
    says: 'Signature, rate limit and delivery id are checked for a direct delivery as for a run.',
    basis: 'stated',
    on: gateway,
    carries: ['B39'],
  },
} as const satisfies Rules
