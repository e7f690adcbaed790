// What the webhook commands share: the configuration that they open, and how they print a route.

import { configDirOf, readSettings } from '../../config/config-dir.ts'
import { baseUrlOf, readBaseUrl, type Settings } from '../../config/settings.ts'
import { findSubscriptions } from '../../edge/gateway/subscriptions-file.ts'
import {
  postObstacle,
  type SubscriptionView,
  subscriptionView,
} from '../../gateway/subscriptions.ts'
import { readRoute, type Route } from '../../gateway/state/routes.ts'
import { type NamedScheme, type OwnSchemes, schemesWith } from '../../gateway/post/schemes.ts'
import { isObject, type Json, type JsonObject, readJson } from '../../lib/json.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { refused } from '../../lib/refused.ts'
import { usageError } from '../../options/usage.ts'
import type { Flags } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'

export type Configuration = {
  readonly dir: string
  readonly settings: Settings
  readonly baseUrl: string
}

/** Opens the configuration for a command. Throws a refusal unless webhooks are enabled [subscriptions/unenabled]. */
export async function openConfiguration(
  flags: Flags,
  { env, cwd }: CommandIo,
): Promise<Configuration> {
  const given = flags.text('webhook-base-url')
  const base_url = given === undefined ? undefined : readBaseUrl(given)
  if (given !== undefined && base_url === undefined)
    throw usageError('--webhook-base-url needs an address such as https://hooks.example.')
  const dir = configDirOf(flags.text('config-dir'), env, cwd)
  const { quirks } = flags
  const found = { env, quirks, isWebhookCommand: true, flags: { base_url } }
  const settings = await readSettings(dir, found)
  if (!settings.enabled) throw refused(notEnabled(dir))
  return { dir, settings, baseUrl: baseUrlOf(settings) }
}

/** The schemes of config.yaml, whether webhooks are enabled or not. */
export async function ownSchemes(flags: Flags, { env, cwd }: CommandIo): Promise<OwnSchemes> {
  const dir = configDirOf(flags.text('config-dir'), env, cwd)
  return (await readSettings(dir, { env, quirks: flags.quirks, isWebhookCommand: true })).schemes
}

/** The scheme of this name. Throws a usage error for an unknown name. */
export function requireScheme(name: string, own: OwnSchemes): NamedScheme {
  const known = schemesWith(own)
  const found = known.get(name)
  if (found !== undefined) return found
  const names = [...known.keys()]
  throw usageError(`--as must be one of ${names.join(', ')}.${didYouMean(name, names)}`)
}

/** The message that webhooks are off, and how to enable them. */
export const notEnabled = (dir: string): string => `Webhooks are not enabled in ${dir}.
Enable them in one of these ways:
  flowdouble gateway setup --enable --yes --config-dir ${dir}
  in ${dir}/config.yaml:
    platforms:
      webhook:
        enabled: true
  in ${dir}/.env, or in the environment:
    WEBHOOK_ENABLED=true
Then start the gateway: flowdouble gateway run`

export function oneName({ words }: Flags, command: string): string {
  const [name, more] = words
  if (name === undefined) throw usageError(`webhook ${command} needs the name of a route.`)
  if (more !== undefined)
    throw usageError(`webhook ${command} takes one name; quote a name that contains spaces.`)
  return name
}

/** The routes of config.yaml as the subscriptions file would have them. */
export const staticEntries = ({ routes }: Settings): JsonObject => {
  const found = readJson(JSON.stringify(routes))
  return isObject(found) ? found : new Map()
}

/** The routes that a gateway with these settings serves: none of a file that is corrupt, or cannot be read. */
export async function servedRoutes(
  dir: string,
  settings: Settings,
  quirks: readonly string[],
): Promise<readonly Route[]> {
  const found = await findSubscriptions(dir).catch(() => undefined)
  const written = found ?? new Map<string, Json>()
  const all = new Map([...written, ...staticEntries(settings)])
  return [...all].flatMap(([name, entry]) => {
    const route = isObject(entry) ? readRoute(name, entry, settings.secret) : undefined
    return route === undefined || postObstacle(route, quirks, settings.schemes) !== undefined
      ? []
      : route
  })
}

/** An entry of the file as a route, and as the command prints it. */
export function show({ settings, baseUrl }: Configuration, name: string, entry: JsonObject) {
  const read = readRoute(name, entry, settings.secret)
  return {
    read,
    route: subscriptionView(
      read,
      entry,
      `${baseUrl}/webhooks/${encodeURIComponent(name)}`,
      Date.now(),
    ),
  }
}

/** The old secrets that count, without showing them: their senders have them. */
export const oldLines = ({ old_secrets = [] }: SubscriptionView): readonly string[] =>
  old_secrets.map(({ valid_until }) => `Old:     the old secret counts until ${valid_until}`)

export const factLines = ({
  scheme,
  events,
  deliver,
  deliver_only,
}: SubscriptionView): readonly string[] => [
  ...(scheme === undefined ? [] : [`Signed:  like ${scheme}`]),
  `Events:  ${events.length === 0 ? '(all)' : events.join(', ') || '(none: the filter lists nothing)'}`,
  `Deliver: ${deliver}${deliver_only ? ' (direct, no agent)' : ''}`,
]
