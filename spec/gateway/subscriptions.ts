// Subscriptions: the subscriptions file, static routes, settings, and the commands that manage them.

import { gatewayAddress } from './address.ts'
import { gateway, type Rules, type Schema } from '../language.ts'
import { limits } from '../limits.ts'

/** Names of the files in the configuration directory, and the modes with which they are written. */
export const configFiles = {
  subscriptions: { name: 'webhook_subscriptions.json', mode: 0o600 },
  config: { name: 'config.yaml', mode: 0o644 },
  env: { name: '.env', mode: 0o600 },
} as const

/** The configuration directory: the flag, else the variable, else this folder in the user's home. */
export const configDirectory = {
  flag: '--config-dir',
  variable: 'FLOWDOUBLE_HOME',
  folder: '.flowdouble',
} as const

/** The form of a name after `readName`: trimmed, in lower case, with hyphens for spaces. */
export const routeName = /^[a-z0-9][a-z0-9_-]*$/

/** A generated secret: this many random bytes in URL-safe base64, without padding. */
export const generatedSecret = { bytes: 32, characters: 43 } as const

/** The default description of a subscription. */
export const defaultDescription = 'Agent-created subscription: {name}'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const textsOrText = { anyOf: [texts, text] } as const

/** A route, static or dynamic. Further members are kept. */
export const webhookRoute = {
  type: 'object',
  properties: {
    description: text,
    events: textsOrText,
    secret: text,
    prompt: text,
    skills: textsOrText,
    deliver: text,
    created_at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' },
    deliver_only: { type: 'boolean' },
    deliver_extra: { type: ['object', 'null'] },
    enabled: {},
    origin: {
      type: 'object',
      properties: { platform: text, chat_id: text },
      required: ['platform', 'chat_id'],
    },
  },
} as const satisfies Schema

/** The subscriptions file: routes by name. */
export const subscriptionsFile = {
  type: 'object',
  additionalProperties: webhookRoute,
} as const satisfies Schema

/** The members that `subscribe` writes, in order; the last three only if they are set. */
export const writtenMembers = [
  'description',
  'events',
  'secret',
  'prompt',
  'skills',
  'deliver',
  'created_at',
  'deliver_only',
  'deliver_extra',
  'origin',
] as const

export type GatewaySetting = {
  /** Its place in config.yaml. */
  readonly key: string
  /** The environment variable, also as a line of `.env`. */
  readonly variable?: string
  /** The flag of `gateway run`. */
  readonly flag?: string
  readonly type: 'boolean' | 'integer' | 'text' | 'object'
  readonly default: boolean | number | string | null
  readonly secret?: true
}

/** The settings of the gateway. */
export const gatewaySettings = {
  enabled: {
    key: 'platforms.webhook.enabled',
    variable: 'WEBHOOK_ENABLED',
    type: 'boolean',
    default: false,
  },
  host: {
    key: 'platforms.webhook.extra.host',
    flag: '--host',
    type: 'text',
    default: gatewayAddress.host,
  },
  port: {
    key: 'platforms.webhook.extra.port',
    variable: 'WEBHOOK_PORT',
    flag: '--port',
    type: 'integer',
    default: gatewayAddress.port,
  },
  secret: {
    key: 'platforms.webhook.extra.secret',
    variable: 'WEBHOOK_SECRET',
    type: 'text',
    default: null,
    secret: true,
  },
  base_url: {
    key: 'platforms.webhook.extra.base_url',
    flag: '--webhook-base-url',
    type: 'text',
    default: null,
  },
  routes: { key: 'platforms.webhook.extra.routes', type: 'object', default: null },
  rate_limit: {
    key: 'platforms.webhook.extra.rate_limit',
    type: 'integer',
    default: limits.webhookRate.value,
  },
  max_body_bytes: {
    key: 'platforms.webhook.extra.max_body_bytes',
    type: 'integer',
    default: limits.webhookBody.value,
  },
} as const satisfies Readonly<Record<string, GatewaySetting>>

/** The places of a setting; the first one that has it decides. */
export const settingSources = ['flag', 'environment', '.env', 'config.yaml', 'default'] as const

/** Words that switch a setting on, and off, case-insensitively. */
export const switchWords = {
  on: ['true', '1', 'yes', 'on'],
  off: ['false', '0', 'no', 'off'],
} as const

/** Exit codes of the commands. */
export const exitCodes = {
  done: 0,
  /** Rejected, failed, not found, not enabled; a test event that was not accepted. */
  refused: 1,
  /** Unknown command or option, missing argument, unusable value. */
  usage: 2,
} as const

/** The commands, their aliases and their options; each accepts --config-dir, --json, --quirk and --help too. */
export const webhookCommands = {
  subscribe: {
    aliases: ['add'],
    takesName: true,
    options: [
      '--prompt',
      '--events',
      '--description',
      '--skills',
      '--deliver',
      '--deliver-chat-id',
      '--secret',
      '--secret-file',
      '--new-secret',
      '--deliver-only',
      '--origin',
      '--webhook-base-url',
    ],
  },
  list: { aliases: ['ls'], takesName: false, options: ['--no-secrets', '--webhook-base-url'] },
  remove: { aliases: ['rm'], takesName: true, options: [] },
  test: {
    aliases: [],
    takesName: true,
    options: [
      '--payload',
      '--payload-file',
      '--as',
      '--event',
      '--url',
      '--secret',
      '--secret-file',
      '--webhook-base-url',
    ],
  },
} as const

/** The default payload of `webhook test`. */
export const testPayload =
  '{"test": true, "event_type": "test", "message": "Hello from flowdouble webhook test"}'

/** What `webhook subscribe --json` prints. */
export const subscribed = {
  type: 'object',
  properties: { name: text, webhook_url: text, secret: text },
  required: ['name', 'webhook_url', 'secret'],
} as const satisfies Schema

/** What `webhook list --json` prints; --no-secrets omits `secret`. */
export const subscriptionList = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: text,
      webhook_url: text,
      secret: text,
      description: text,
      events: texts,
      skills: texts,
      prompt: text,
      deliver: text,
      deliver_only: { type: 'boolean' },
      created_at: text,
    },
    required: ['name', 'webhook_url', 'events', 'deliver', 'deliver_only'],
  },
} as const satisfies Schema

export const rules = {
  'subscriptions/file': {
    says: 'Subscriptions persist in webhook_subscriptions.json, a JSON object of routes by name.',
    basis: 'stated',
    on: gateway,
    carries: ['B21'],
  },
  'subscriptions/private': {
    says: 'The commands write the subscriptions file and .env with mode 0600, and narrow a wider mode.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/atomic': {
    says: 'The subscriptions file is replaced atomically: readers see the old or the new file.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/locked': {
    says: 'Commands that write at the same time lose nothing; the lock of a dead process is released.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/unknown-members': {
    says: 'Unknown members of the file and of its routes are kept.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/stray-route-member': {
    says: 'startGateway and config.yaml reject a route with an unknown member and name the member.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/corrupt-file': {
    says: 'With a corrupt file commands exit 1 and leave it in place; a gateway keeps its routes.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/stray-member': {
    says: 'A command that changes a file with an invalid route names it, exits 1 and writes nothing.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/reload': {
    says: 'The gateway checks the subscriptions file on each request and serves its routes.',
    basis: 'stated',
    on: gateway,
    carries: ['B22'],
  },
  'subscriptions/reload-on-change': {
    says: 'The gateway reloads the file when its modification time differs, even if it is older.',
    basis: 'stated',
    on: gateway,
    carries: ['B23'],
  },
  'subscriptions/reload-missing': {
    says: 'When the file is deleted, its routes are removed.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/reload-corrupt': {
    says: 'A file that is not a UTF-8 JSON object of objects leaves the routes unchanged, and is logged.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/not-loaded': {
    says: 'A subscription without a secret, or direct to `log`, is skipped, and the others load.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/events-are-texts': {
    says: 'A route whose `events` are neither texts nor null is skipped, and never matches every event.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/in-memory': {
    says: 'A gateway without a configuration directory keeps its subscriptions in memory.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/static-wins': {
    says: 'A static route of config.yaml takes precedence over the subscriptions file.',
    basis: 'stated',
    on: gateway,
    carries: ['B24'],
  },
  'subscriptions/static-checked': {
    says: 'A static route without a secret, or direct to `log`, prevents the gateway from starting.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/unknown-setting': {
    says: 'Every command rejects a member of platforms.webhook in config.yaml that is not a setting.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/settings': {
    says: 'Each setting works alone, from config.yaml or from .env, for gateway and commands.',
    basis: 'stated',
    on: gateway,
    carries: ['B25', 'B26', 'B28', 'B29', 'B55'],
  },
  'subscriptions/precedence': {
    says: 'A flag overrides the environment, which overrides .env, which overrides config.yaml.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/host': {
    says: 'The host is a setting without a variable; 0.0.0.0 means all interfaces.',
    basis: 'stated',
    on: gateway,
    carries: ['B27', 'B62'],
  },
  'subscriptions/port': {
    says: 'The gateway listens on port 8644 by default.',
    basis: 'stated',
    on: gateway,
    carries: ['B28', 'B61'],
  },
  'subscriptions/loopback': {
    says: 'The gateway listens on loopback by default.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/switch-words': {
    says: 'A switch is on for true, 1, yes and on, off for false, 0, no and off, case-insensitively.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/bad-setting': {
    says: 'A setting with an unusable value is named on standard error, and the command exits 1.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/env-lines': {
    says: 'Lines of .env are NAME=value, optionally after `export`; any other line is named, and exits 1.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/read-once': {
    says: 'The gateway reads config.yaml and .env once, when it starts.',
    basis: 'stated',
    on: gateway,
    carries: ['B51'],
  },
  'subscriptions/unenabled': {
    says: 'While the platform is not enabled, each webhook command reports so, writes nothing and exits 1.',
    basis: 'stated',
    on: gateway,
    carries: ['B45', 'B52', 'B53'],
  },
  'subscriptions/subscribe': {
    says: '`webhook subscribe` creates a route from a name, with an option for each other field.',
    basis: 'stated',
    on: gateway,
    carries: ['B7', 'B8', 'B11', 'B12', 'B42'],
  },
  'subscriptions/subscribe-prints': {
    says: '`webhook subscribe` prints the URL and the secret; as JSON: name, webhook_url, secret.',
    basis: 'stated',
    on: gateway,
    carries: ['B19', 'B20', 'B43'],
  },
  'subscriptions/names': {
    says: 'Each command lowers a name and replaces spaces by hyphens; other characters are rejected.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/lists': {
    says: 'Events and skills are split at commas and trimmed, without empty ones, also in the files.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/defaults': {
    says: 'By default the target is `log`, all events match, and the description contains the name.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/secret-generated': {
    says: 'Without a supplied secret, one of 256 random bits is generated, as 43 characters.',
    basis: 'stated',
    on: gateway,
    carries: ['B17', 'B54'],
  },
  'subscriptions/secret-given': {
    says: '`webhook subscribe` reads a supplied secret from its option, a file, or standard input.',
    basis: 'stated',
    on: gateway,
    carries: ['B16', 'B54'],
  },
  'subscriptions/secret-refused': {
    says: 'An empty supplied secret, or INSECURE_NO_AUTH, is rejected, and nothing is written.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/secret-text': {
    says: 'A supplied secret that is not UTF-8, or has spaces at its ends, is rejected; nothing is written.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/secret-encoded': {
    says: 'A supplied secret with characters after "whsec_" that are not base64 is rejected.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/real-target': {
    says: '`--deliver-only` requires a real target: with `log`, or without a target, it is rejected.',
    basis: 'stated',
    on: gateway,
    carries: ['B40', 'B41'],
  },
  'subscriptions/known-target': {
    says: 'An unknown target is rejected, and the error lists the known ones.',
    basis: 'stated',
    on: gateway,
    carries: ['B14', 'B40'],
  },
  'subscriptions/origin': {
    says: '`--origin PLATFORM:CHAT` records the place to which the target `origin` delivers.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/update': {
    says: 'Subscribing a name again keeps only its creation time and, without --new-secret, its secret.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/shadowed': {
    says: 'Subscribing the name of a static route is rejected: exit 1, and nothing is written.',
    basis: 'stated',
    on: gateway,
    carries: ['B24'],
  },
  'subscriptions/url': {
    says: 'The printed URL has the configured base, or host and port, with localhost for 0.0.0.0.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/list': {
    says: '`webhook list` lists the subscriptions with the secrets that their senders need.',
    basis: 'stated',
    on: gateway,
    carries: ['B7', 'B44', 'B58'],
  },
  'subscriptions/list-without-secrets': {
    says: '`webhook list --no-secrets` omits the secrets.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/remove': {
    says: '`webhook remove` removes a subscription, whose next post returns 404.',
    basis: 'stated',
    on: gateway,
    carries: ['B7', 'B30', 'B46'],
  },
  'subscriptions/unknown-name': {
    says: 'Removing or testing a name without a subscription reports so and exits 1.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test': {
    says: '`webhook test` sends a signed event to the route and prints status and reply.',
    basis: 'stated',
    on: gateway,
    carries: ['B7', 'B47'],
  },
  'subscriptions/test-payload': {
    says: '`webhook test` sends the bytes of `--payload` unchanged, or else a default payload.',
    basis: 'stated',
    on: gateway,
    carries: ['B48'],
  },
  'subscriptions/test-as': {
    says: '`webhook test --as` signs like that sender and sends the same headers.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test-event': {
    says: '`webhook test` sends `--event`, or the first event of the route, or the event test.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test-ignored': {
    says: '`webhook test` exits 1 if the event was ignored, rejected or not delivered.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test-time-out': {
    says: '`webhook test` gives up after 10 seconds.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/test-url': {
    says: '`webhook test --url` sends to any address with the supplied secret, enabled or not.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test-port': {
    says: '`webhook test` sends to any port, even one that browsers block.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/setup': {
    says: '`gateway setup` asks whether to enable webhooks, for the port and for the global secret.',
    basis: 'stated',
    on: gateway,
    carries: ['B49'],
  },
  'subscriptions/setup-flags': {
    says: '`gateway setup --yes` asks nothing and reads its answers from flags.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/setup-writes': {
    says: '`gateway setup` writes the secret to .env and the rest to config.yaml, and keeps comments.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/run': {
    says: '`gateway run` starts the gateway and prints its address and its routes.',
    basis: 'stated',
    on: gateway,
    carries: ['B50'],
  },
  'subscriptions/run-fails': {
    says: '`gateway run` exits 1 if webhooks are not enabled, the port is taken or a static route is unusable.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/run-wall-time': {
    says: '`gateway run` uses the time of day, so that signed times of real senders are accepted.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/exit-codes': {
    says: 'Commands exit 0 when done, 1 when rejected or failed, 2 when used wrongly.',
    basis: 'chosen',
    on: gateway,
  },
} as const satisfies Rules
