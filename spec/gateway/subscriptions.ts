// Subscriptions: the subscriptions file, static routes, settings, and the commands that manage them.

import { gatewayAddress } from './address.ts'
import { type Rules, chosen, stated, observedAtReference } from '../language.ts'
import { limits } from '../limits.ts'
import {
  any,
  anyObject,
  anyOf,
  boolean,
  list,
  nullable,
  object,
  optional,
  partial,
  record,
  text,
} from '../schema.ts'

/** Names of the files in the configuration directory, and the modes with which they are written. */
export const configFiles = {
  subscriptions: { name: 'webhook_subscriptions.json', mode: 0o600 },
  config: { name: 'config.yaml', mode: 0o644 },
  env: { name: '.env', mode: 0o600 },
  store: { name: 'gateway.sqlite', mode: 0o600 },
  /** Variables of a unit of systemd: secrets of flags, which settings cannot hold. */
  service: { name: 'service.env', mode: 0o600 },
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

const texts = list(text)
const textsOrText = anyOf(texts, text)
const second = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' } as const

/** A route, static or dynamic. Further members are kept. */
export const webhookRoute = partial({
  description: text,
  events: textsOrText,
  secret: text,
  scheme: text,
  prompt: text,
  skills: textsOrText,
  deliver: text,
  created_at: second,
  deliver_only: boolean,
  in_order: boolean,
  deliver_extra: nullable(anyObject),
  enabled: any,
  origin: object({ platform: text, chat_id: text }),
  /** Secrets before the present one, each with the time until which it counts too. */
  old_secrets: list(object({ secret: text, valid_until: second })),
})

/** The subscriptions file: routes by name. */
export const subscriptionsFile = record(webhookRoute)

/** The members that `subscribe` writes, in order; the last six only if they are set. */
export const writtenMembers = [
  'description',
  'events',
  'secret',
  'prompt',
  'skills',
  'deliver',
  'created_at',
  'deliver_only',
  'in_order',
  'deliver_extra',
  'origin',
  'old_secrets',
  'scheme',
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
  schemes: { key: 'platforms.webhook.extra.schemes', type: 'object', default: null },
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
      '--as',
      '--secret',
      '--secret-file',
      '--new-secret',
      '--keep-old',
      '--deliver-only',
      '--in-order',
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
  resend: { aliases: [], takesName: true, options: ['--store', '--webhook-base-url'] },
} as const

/** The default payload of `webhook test`. */
export const testPayload =
  '{"test": true, "event_type": "test", "message": "Hello from flowdouble webhook test"}'

/** What `webhook subscribe --json` prints. */
export const subscribed = object({
  name: text,
  webhook_url: text,
  secret: text,
  /** Until when the old secret counts too, with --keep-old. */
  old_secret_until: optional(second),
})

/** What `webhook list --json` prints; --no-secrets omits each `secret`. */
export const subscriptionList = list(
  object({
    name: text,
    webhook_url: text,
    secret: optional(text),
    /** Those that still count. */
    old_secrets: optional(list(object({ secret: optional(text), valid_until: second }))),
    scheme: optional(text),
    description: optional(text),
    events: texts,
    skills: optional(texts),
    prompt: optional(text),
    deliver: text,
    deliver_only: boolean,
    created_at: optional(text),
    /** Whether it is a static route of config.yaml. */
    is_static: optional({ const: true }),
  }),
)

export const rules = {
  ...stated.gateway({
    'subscriptions/file':
      'Subscriptions persist in webhook_subscriptions.json, a JSON object of routes by name. [B21]',
  }),
  ...observedAtReference.gateway({
    'subscriptions/private':
      'The commands write the subscriptions file and .env with mode 0600, and narrow a wider mode.',
    'subscriptions/atomic':
      'The subscriptions file is replaced atomically: readers see the old or the new file.',
  }),
  ...stated.gateway({
    'subscriptions/reload':
      'The gateway checks the subscriptions file on each request and serves its routes. [B22]',
    'subscriptions/reload-on-change':
      'The gateway reloads the file when its modification time differs, even if it is older. [B23]',
  }),
  ...observedAtReference.gateway({
    'subscriptions/reload-missing': 'When the file is deleted, its routes are removed.',
    'subscriptions/reload-corrupt':
      'A file that is not a UTF-8 JSON object of objects leaves the routes unchanged, and is logged.',
    'subscriptions/not-loaded':
      'A subscription without a secret, or direct to `log`, is skipped, and the others load.',
  }),
  ...stated.gateway({
    'subscriptions/static-wins':
      'A static route of config.yaml takes precedence over the subscriptions file. [B24]',
  }),
  ...observedAtReference.gateway({
    'subscriptions/static-checked':
      'A static route without a secret, or direct to `log`, prevents the gateway from starting.',
  }),
  ...stated.gateway({
    'subscriptions/settings':
      'Each setting works alone, from config.yaml or from .env, for gateway and commands. [B25 B26 B28 B29 B55]',
    'subscriptions/host':
      'The host is a setting without a variable; 0.0.0.0 means all interfaces. [B27 B62]',
    'subscriptions/port': 'The gateway listens on port 8644 by default. [B28 B61]',
  }),
  ...observedAtReference.gateway({
    'subscriptions/switch-words':
      'A switch in the settings is on for true, 1, yes and on, off for false, 0, no and off, in any case.',
  }),
  ...stated.gateway({
    'subscriptions/read-once': 'The gateway reads config.yaml and .env once, when it starts. [B51]',
    'subscriptions/unenabled':
      'While the platform is not enabled, each webhook command reports so, writes nothing and exits 1. [B45 B52 B53]',
    'subscriptions/subscribe':
      '`webhook subscribe` creates a route from a name, with an option for each other field. [B7 B8 B11 B12 B42]',
    'subscriptions/subscribe-prints':
      '`webhook subscribe` prints the URL and the secret; as JSON: name, webhook_url, secret. [B19 B20 B43]',
  }),
  ...observedAtReference.gateway({
    'subscriptions/names':
      'Each command lowers a name and replaces spaces by hyphens; other characters are rejected.',
    'subscriptions/defaults':
      'By default the target is `log`, all events match, and the description contains the name.',
  }),
  ...stated.gateway({
    'subscriptions/secret-generated':
      'Without a supplied secret, one of 256 random bits is generated, as 43 characters. [B17 B54]',
    'subscriptions/secret-given':
      '`webhook subscribe` reads a supplied secret from its option, a file, or standard input. [B16 B54]',
    'subscriptions/real-target':
      '`--deliver-only` requires a real target: with `log`, or without a target, it is rejected. [B40 B41]',
    'subscriptions/known-target':
      'An unknown target is rejected, and the error lists the known ones. [B14 B40]',
    'subscriptions/shadowed':
      'Subscribing the name of a static route is rejected: exit 1, and nothing is written. [B24]',
  }),
  ...observedAtReference.gateway({
    'subscriptions/url':
      'The printed URL has the configured base, or host and port, with localhost for 0.0.0.0.',
  }),
  ...stated.gateway({
    'subscriptions/list':
      '`webhook list` lists the subscriptions with the secrets that their senders need. [B7 B44 B58]',
    'subscriptions/remove':
      '`webhook remove` removes a subscription, whose next post returns 404. [B7 B30 B46]',
    'subscriptions/test':
      '`webhook test` sends a signed event to the route and prints status and reply. [B7 B47]',
    'subscriptions/test-payload':
      '`webhook test` sends the bytes of `--payload` unchanged, or else a default payload. [B48]',
  }),
  ...observedAtReference.gateway({
    'subscriptions/test-time-out': '`webhook test` gives up after 10 seconds.',
  }),
  ...stated.gateway({
    'subscriptions/setup':
      '`gateway setup` asks whether to enable webhooks, for the port and for the global secret. [B49]',
    'subscriptions/run':
      '`gateway run` starts the gateway and prints its address and its routes. [B50]',
  }),
  ...chosen.gateway({
    'subscriptions/locked':
      'Commands that write at the same time lose nothing; the lock of a dead process is released.',
    'subscriptions/reload-many':
      'Of a file with many routes only those that changed are read; beyond 20, the log counts them.',
    'subscriptions/unknown-members': 'Unknown members of the file and of its routes are kept.',
    'subscriptions/stray-route-member':
      'startGateway and config.yaml reject a route with an unknown member and name the member.',
    'subscriptions/log-missing':
      'A gateway logs as a warning that its file is gone, and how many routes it no longer serves.',
    'subscriptions/log-corrupt':
      'A gateway logs as an error that its file is corrupt, and whether it still serves routes of it.',
    'subscriptions/corrupt-file':
      'With a corrupt file commands exit 1 and leave it in place; a gateway keeps its routes.',
    'subscriptions/stray-member':
      'A command that changes a file with an invalid route names it, exits 1 and writes nothing.',
    'subscriptions/events-are-texts':
      'A route whose `events` are neither texts nor null is skipped, and never matches every event.',
    'subscriptions/in-memory':
      'A gateway without a configuration directory keeps its subscriptions in memory.',
    'subscriptions/unknown-setting':
      'Every command rejects a member of platforms.webhook in config.yaml that is not a setting.',
    'subscriptions/precedence':
      'A flag overrides the environment, which overrides .env, which overrides config.yaml.',
    'subscriptions/loopback': 'The gateway listens on loopback by default.',
    'subscriptions/bad-setting':
      'A setting with an unusable value is named on standard error, and the command exits 1.',
    'subscriptions/env-lines':
      'Lines of .env are NAME=value, optionally after `export`; any other line is named, and exits 1.',
    'subscriptions/lists':
      'Events and skills are split at commas and trimmed, without empty ones, also in the files.',
    'subscriptions/secret-refused':
      'An empty supplied secret, or INSECURE_NO_AUTH, is rejected, and nothing is written.',
    'subscriptions/secret-text':
      'A supplied secret that is not UTF-8, or has spaces at its ends, is rejected; nothing is written.',
    'subscriptions/secret-encoded':
      'A supplied secret with characters after "whsec_" that are not base64 is rejected.',
    'subscriptions/origin':
      '`--origin PLATFORM:CHAT` records the place to which the target `origin` delivers.',
    'subscriptions/update':
      'Subscribing a name again keeps only its creation time and, without --new-secret, its secret.',
    'subscriptions/list-static':
      '`webhook list` and `webhook test` know the static routes of config.yaml as well.',
    'subscriptions/chat-warning':
      '`webhook subscribe` to a chat platform without a chat or a home channel warns, and exits 0.',
    'subscriptions/send-credential':
      '`gateway run --send` exits 1 without any credential, and names the variable of each.',
    'subscriptions/start-deliveries':
      '`gateway run` warns of each route whose deliveries fail: no chat, no credential, no sender.',
    'subscriptions/start-files':
      '`gateway run` warns of files that everybody can read or change, with the command that mends it.',
    'subscriptions/start-public':
      '`gateway run` warns of a host that others reach, unless base_url says that TLS is before it.',
    'subscriptions/keep-old':
      '`webhook subscribe --keep-old 24h` with a new secret accepts the old one for that time as well.',
    'subscriptions/rotate':
      'With --keep-old and no flag of the route, `webhook subscribe` keeps the rest of it.',
    'subscriptions/old-ended':
      'A new secret without --keep-old ends the old ones; an update that keeps the secret keeps them too.',
    'subscriptions/old-listed':
      '`webhook list` says until when an old secret counts, and --no-secrets omits the secret itself.',
    'subscriptions/old-dropped':
      'Old secrets whose time has passed are removed by the next command that writes the file.',
    'subscriptions/list-without-secrets': '`webhook list --no-secrets` omits the secrets.',
    'subscriptions/unknown-name':
      'Removing or testing a name without a subscription reports so and exits 1.',
    'subscriptions/scheme':
      '`webhook subscribe --as` names the scheme of the route, and generates a secret that fits it.',
    'subscriptions/unknown-scheme':
      'A subscription that names an unknown scheme is skipped; a static route prevents the start.',
    'subscriptions/test-as':
      '`webhook test` signs and names headers like the scheme of the route, or of `--as`.',
    'subscriptions/test-event':
      '`webhook test` sends `--event`, or the first event of the route, or the event test.',
    'subscriptions/test-ignored':
      '`webhook test` exits 1 if the event was ignored, rejected or not delivered.',
    'subscriptions/test-url':
      '`webhook test --url` sends to any address with the supplied secret, enabled or not.',
    'subscriptions/test-port': '`webhook test` sends to any port, even one that browsers block.',
    'subscriptions/setup-flags':
      '`gateway setup --yes` asks nothing and reads its answers from flags.',
    'subscriptions/setup-writes':
      '`gateway setup` writes the secret to .env and the rest to config.yaml, and keeps comments.',
    'subscriptions/run-fails':
      '`gateway run` exits 1 if webhooks are not enabled, the port is taken or a static route is unusable.',
    'subscriptions/run-wall-time':
      '`gateway run` uses the time of day, so that signed times of real senders are accepted.',
    'subscriptions/exit-codes':
      'Commands exit 0 when done, 1 when rejected or failed, 2 when used wrongly.',
  }),
} as const satisfies Rules
