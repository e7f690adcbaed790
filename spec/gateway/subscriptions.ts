// Where routes come from: the subscriptions file, static routes, settings, and the commands that manage them.

import { gatewayAddress } from './webhooks.ts'
import { gateway, type Rules, type Schema } from '../language.ts'
import { limits } from '../limits.ts'

/** Names of the files in the configuration directory, and their modes where they are written. */
export const configFiles = {
  subscriptions: { name: 'webhook_subscriptions.json', mode: 0o600 },
  config: { name: 'config.yaml', mode: 0o644 },
  env: { name: '.env', mode: 0o600 },
} as const

/** The configuration directory: the flag, else the variable, else this folder in the home of the user. */
export const configDirectory = {
  flag: '--config-dir',
  variable: 'FLOWDOUBLE_HOME',
  folder: '.flowdouble',
} as const

/** What a name has to look like after `readName`: trimmed, in lower case, each blank a hyphen. */
export const routeName = /^[a-z0-9][a-z0-9_-]*$/

/** A generated secret: so many random bytes in base64 for URLs, without padding. */
export const generatedSecret = { bytes: 32, characters: 43 } as const

/** The description of a subscription that is given none. */
export const defaultDescription = 'Agent-created subscription: {name}'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const textsOrText = { anyOf: [texts, text] } as const

/** A route, static or dynamic. Members that are not told here are kept. */
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

/** The members that `subscribe` writes, in order; the last three only where they are given. */
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
  /** Where it stands in config.yaml. */
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

/** Where a setting is looked for, the first place that has it decides. */
export const settingSources = ['flag', 'environment', '.env', 'config.yaml', 'default'] as const

/** Words that switch a setting on, and off, in any case. */
export const switchWords = {
  on: ['true', '1', 'yes', 'on'],
  off: ['false', '0', 'no', 'off'],
} as const

/** Exit codes of the commands. */
export const exitCodes = {
  done: 0,
  /** Refused, failed, not found, not enabled; a test event that was not taken. */
  refused: 1,
  /** Unknown command or option, missing argument, unusable value. */
  usage: 2,
} as const

/** The commands, their other names, and their options; every one takes --config-dir, --json, --quirk and --help too. */
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

/** What `webhook test` signs like, with the scheme of the signature. */
export const testSenders = {
  github: 'github',
  gitlab: 'gitlab',
  stripe: 'stripe',
  svix: 'svix',
  standard: 'standard',
  generic: 'generic',
} as const

/** The payload of `webhook test` without one of the user. */
export const testPayload =
  '{"test": true, "event_type": "test", "message": "Hello from flowdouble webhook test"}'

/** What `webhook subscribe --json` prints. */
export const subscribed = {
  type: 'object',
  properties: { name: text, webhook_url: text, secret: text },
  required: ['name', 'webhook_url', 'secret'],
} as const satisfies Schema

/** What `webhook list --json` prints; `secret` is left out with --no-secrets. */
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
    says: 'The subscriptions file and .env are written with mode 0600, which narrows a wider one.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/atomic': {
    says: 'The subscriptions file is replaced in one step: whoever reads sees the old or the new one.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/locked': {
    says: 'Commands that write at the same time lose nothing; the lock of a dead process is free.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/unknown-members': {
    says: 'Members of the file and of its routes that no command knows are kept.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/stray-route-member': {
    says: 'A route given to startGateway or in config.yaml with an unknown member is refused by its name.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/corrupt-file': {
    says: 'With a corrupt file commands exit 1 and leave it in place; a gateway keeps its routes.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/stray-member': {
    says: 'A file with a member that is no route is left as it is: changing it names the member, exits 1.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/reload': {
    says: 'The gateway looks at the subscriptions file on each request, and serves what it says.',
    basis: 'stated',
    on: gateway,
    carries: ['B22'],
  },
  'subscriptions/reload-on-change': {
    says: 'The file is read again where its modification time differs, an older one included.',
    basis: 'stated',
    on: gateway,
    carries: ['B23'],
  },
  'subscriptions/reload-missing': {
    says: 'When the file is gone, its routes are gone.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/reload-corrupt': {
    says: 'A file that is no JSON object of objects in UTF-8 leaves the routes as they are, and is logged.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/not-loaded': {
    says: 'A subscription without a secret, or direct to `log`, is left out, and the others load.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/events-are-texts': {
    says: 'A route whose `events` are neither texts nor null is left out, and never takes every event.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/in-memory': {
    says: 'A gateway without a configuration directory keeps its subscriptions in memory.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/static-wins': {
    says: 'A static route of config.yaml is served whatever the subscriptions file says of its name.',
    basis: 'stated',
    on: gateway,
    carries: ['B24'],
  },
  'subscriptions/static-checked': {
    says: 'A static route without a secret, or direct to `log`, keeps the gateway from starting.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/unknown-setting': {
    says: 'A member of platforms.webhook in config.yaml that is not a setting is refused by each command.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/settings': {
    says: 'Each setting works alone, from config.yaml or from .env, for gateway and commands alike.',
    basis: 'stated',
    on: gateway,
    carries: ['B25', 'B26', 'B28', 'B29', 'B55'],
  },
  'subscriptions/precedence': {
    says: 'A flag wins over the environment, that over .env, that over config.yaml.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/host': {
    says: 'The host is a setting without a variable; with 0.0.0.0 it is all interfaces.',
    basis: 'stated',
    on: gateway,
    carries: ['B27', 'B62'],
  },
  'subscriptions/port': {
    says: 'The gateway listens on port 8644 unless told otherwise.',
    basis: 'stated',
    on: gateway,
    carries: ['B28', 'B61'],
  },
  'subscriptions/loopback': {
    says: 'The gateway listens on loopback unless told otherwise.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/switch-words': {
    says: 'A switch is on for true, 1, yes and on, off for false, 0, no and off, in any case.',
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
    says: 'Lines of .env are NAME=value, also after `export`; another one is named, and exits 1.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/read-once': {
    says: 'config.yaml and .env are read once, when the gateway starts.',
    basis: 'stated',
    on: gateway,
    carries: ['B51'],
  },
  'subscriptions/unenabled': {
    says: 'While the platform is not enabled each webhook command says so, writes nothing, exits 1.',
    basis: 'stated',
    on: gateway,
    carries: ['B45', 'B52', 'B53'],
  },
  'subscriptions/subscribe': {
    says: '`webhook subscribe` creates a route with a name and an option for each other field.',
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
    says: 'Each command lowers a name and makes its blanks hyphens; other characters are refused.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/lists': {
    says: 'Events and skills are split at commas and trimmed, without empty ones, in the files too.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/defaults': {
    says: 'Without options the target is `log`, the events are all, and the description names it.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'subscriptions/secret-generated': {
    says: 'Without a secret of the user one of 256 random bits is generated, as 43 characters.',
    basis: 'stated',
    on: gateway,
    carries: ['B17', 'B54'],
  },
  'subscriptions/secret-given': {
    says: 'A secret of the user is taken from its option, a file, or standard input.',
    basis: 'stated',
    on: gateway,
    carries: ['B16', 'B54'],
  },
  'subscriptions/secret-refused': {
    says: 'An empty secret of the user, or INSECURE_NO_AUTH, is refused, and nothing is written.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/secret-text': {
    says: 'A given secret that is no UTF-8, or has blanks at its ends, is refused; nothing is written.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/secret-encoded': {
    says: 'A given secret with characters after "whsec_" that no base64 has is refused.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/real-target': {
    says: '`--deliver-only` needs a real target: with `log`, or without any, it is refused.',
    basis: 'stated',
    on: gateway,
    carries: ['B40', 'B41'],
  },
  'subscriptions/known-target': {
    says: 'A target that there is not is refused, and the refusal lists those that there are.',
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
    says: 'Subscribing a name again keeps creation time and, without --new-secret, its secret; no more.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/shadowed': {
    says: 'Subscribing the name of a static route is refused: exit 1, and nothing is written.',
    basis: 'stated',
    on: gateway,
    carries: ['B24'],
  },
  'subscriptions/url': {
    says: 'The printed URL has the configured base, or host and port with 0.0.0.0 as localhost.',
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
    says: '`webhook list --no-secrets` leaves the secrets out.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/remove': {
    says: '`webhook remove` removes a subscription, whose next post answers 404.',
    basis: 'stated',
    on: gateway,
    carries: ['B7', 'B30', 'B46'],
  },
  'subscriptions/unknown-name': {
    says: 'Removing or testing a name without a subscription says so and exits 1.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test': {
    says: '`webhook test` sends a signed event to the route and prints status and answer.',
    basis: 'stated',
    on: gateway,
    carries: ['B7', 'B47'],
  },
  'subscriptions/test-payload': {
    says: '`webhook test` sends the bytes of `--payload` as they are, or else a payload of its own.',
    basis: 'stated',
    on: gateway,
    carries: ['B48'],
  },
  'subscriptions/test-as': {
    says: '`webhook test --as` signs like that sender and sends the headers that it sends.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test-event': {
    says: '`webhook test` sends `--event`, or the first event of the route, or the event test.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test-ignored': {
    says: '`webhook test` exits 1 where the event was ignored, refused or not delivered.',
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
    says: '`webhook test --url` sends to any address with the secret that it is given, enabled or not.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/test-port': {
    says: '`webhook test` sends to any port, also to one that browsers block.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/setup': {
    says: '`gateway setup` asks whether webhooks are on, for the port and for the global secret.',
    basis: 'stated',
    on: gateway,
    carries: ['B49'],
  },
  'subscriptions/setup-flags': {
    says: '`gateway setup --yes` asks nothing: its answers are flags.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/setup-writes': {
    says: '`gateway setup` writes the secret to .env, the rest to config.yaml and keeps its comments.',
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
    says: '`gateway run` exits 1 while not enabled, on a taken port and on an unusable static route.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/run-wall-time': {
    says: '`gateway run` has the time of the wall, so that signed times of real senders pass.',
    basis: 'chosen',
    on: gateway,
  },
  'subscriptions/exit-codes': {
    says: 'Commands exit 0 when done, 1 when refused or failed, 2 when used wrongly.',
    basis: 'chosen',
    on: gateway,
  },
} as const satisfies Rules
