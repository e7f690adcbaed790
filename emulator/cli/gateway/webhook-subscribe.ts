// The command `webhook subscribe`: creates a route, or replaces one.

import { randomBytes } from 'node:crypto'
import { platforms } from '../../../spec/gateway/deliveries.ts'
import { exitCodes, generatedSecret } from '../../../spec/gateway/subscriptions.ts'
import { printable } from '../../client/terminal-text.ts'
import { changeSubscriptions } from '../../edge/gateway/subscriptions-file.ts'
import {
  readName,
  readPlace,
  subscribedEntry,
  type SubscribeRequest,
  type SubscriptionView,
  withSecretsOf,
} from '../../gateway/subscriptions.ts'
import { readEvents, readList, readWrittenList, type Route } from '../../gateway/state/routes.ts'
import { deliveryFault } from '../../gateway/route-checks.ts'
import { readPlatforms } from '../../edge/gateway/sender-settings.ts'
import { isObject } from '../../lib/json.ts'
import { refused } from '../../lib/refused.ts'
import { secondText } from '../../lib/time-text.ts'
import { usageError } from '../../options/usage.ts'
import { type Flags, readSecret } from '../lib/command.ts'
import { readDuration } from '../lib/duration.ts'
import type { CommandIo } from '../lib/io.ts'
import {
  type Configuration,
  factLines,
  oldLines,
  oneName,
  openConfiguration,
  requireScheme,
  show,
} from './configuration.ts'

/** Runs the command. */
export async function subscribe(flags: Flags, io: CommandIo): Promise<number> {
  const given = oneName(flags, 'subscribe')
  const place = flags.text('origin')
  const origin = place === undefined ? null : readPlace(place)
  if (origin === undefined)
    throw usageError(`--origin must be PLATFORM:CHAT. Platforms: ${platforms.join(', ')}.`)
  const wantsNewSecret = flags.isSet('new-secret')
  if (wantsNewSecret && givesSecret(flags))
    throw usageError('--new-secret generates a secret: leave out --secret and --secret-file.')
  const keepsOldMs = keepOld(flags)
  const desk = await openConfiguration(flags, io)
  const { dir, settings } = desk
  const { quirks } = flags
  const name = readName(given)
  if (Object.hasOwn(settings.routes, name) && !quirks.includes('webhooks.subscribe-shadowed')) {
    throw refused(`config.yaml has a static route "${name}", which wins. Choose another name.`)
  }
  const as = flags.text('as')
  const scheme = as === undefined ? null : requireScheme(as, settings.schemes)
  const secret = (await readSecret(flags, io)) ?? null
  const isAsWritten = quirks.includes('webhooks.events-as-written')
  const [events = '', skills = ''] = [flags.text('events'), flags.text('skills')]
  const request: SubscribeRequest = {
    name,
    description: flags.text('description') ?? '',
    events: isAsWritten ? readWrittenList(events) : readEvents(events),
    prompt: flags.text('prompt') ?? '',
    skills: isAsWritten ? readWrittenList(skills) : readList(skills),
    deliver: flags.text('deliver') || 'log',
    chatId: flags.text('deliver-chat-id') ?? '',
    isDirect: flags.isSet('deliver-only'),
    isInOrder: flags.isSet('in-order'),
    origin,
    scheme,
    secret,
    wantsNewSecret,
    keepOldUntilMs: keepsOldMs === undefined ? null : Date.now() + keepsOldMs,
  }
  const generated = randomBytes(generatedSecret.bytes).toString('base64url')
  const created_at = secondText(Date.now())
  const globalSecret = settings.secret
  const isRotation = keepsOldMs !== undefined && !describesRoute(flags)
  const { entry, isUpdate } = await changeSubscriptions(dir, (entries) => {
    const before = entries.get(name)
    const kept = isRotation && isObject(before) ? before : undefined
    const named = kept?.get('scheme')
    const own = typeof named === 'string' ? requireScheme(named, settings.schemes) : scheme
    const parts = { generated, created_at, quirks, globalSecret }
    const made = subscribedEntry({ ...request, scheme: own }, before, parts)
    const entry = kept === undefined ? made : withSecretsOf(kept, made)
    entries.set(name, entry)
    return { entry, isUpdate: before !== undefined }
  })
  const { read, route } = show(desk, name, entry)
  const { webhook_url, secret: newSecret, old_secrets: old } = route
  const until = keepsOldMs === undefined ? undefined : old?.at(-1)?.valid_until
  const result = { name, webhook_url, secret: newSecret, old_secret_until: until }
  io.stdout.write(
    flags.isJson ? `${JSON.stringify(result)}\n` : printable(subscribedText(route, isUpdate)),
  )
  await warnOfDeliveries(io, desk, read)
  return exitCodes.done
}

/** Warns of a chat platform without a chat: each delivery would fail [subscriptions/chat-warning]. */
async function warnOfDeliveries(
  { env, stderr }: CommandIo,
  { dir }: Configuration,
  route: Route,
): Promise<void> {
  // The gateway itself refuses an invalid home channel when it starts.
  const homeChannels = await readPlatforms(dir, env, false).then(
    (found) => found.homeChannels,
    () => undefined,
  )
  if (homeChannels === undefined) return
  const plan = { homeChannels, connected: null, credentials: null, isReal: true }
  const fault = deliveryFault(route, plan)
  if (fault === undefined) return
  stderr.write(printable(`Warning: the route ${route.name} ${fault.what}. Mend: ${fault.mend}\n`))
}

const givesSecret = (flags: Flags): boolean =>
  (flags.text('secret') ?? flags.text('secret-file')) !== undefined

/** Whether flags say anything of the route beside its secret. */
const describesRoute = (flags: Flags): boolean =>
  ['deliver-only', 'in-order'].some((name) => flags.isSet(name)) ||
  ['description', 'events', 'prompt', 'skills', 'deliver', 'deliver-chat-id', 'origin', 'as'].some(
    (name) => flags.text(name) !== undefined,
  )

/** For how long to keep the old secret, in milliseconds; undefined without the flag. */
function keepOld(flags: Flags): number | undefined {
  const text = flags.text('keep-old')
  if (text === undefined) return undefined
  if (!flags.isSet('new-secret') && !givesSecret(flags))
    throw usageError('--keep-old needs a new secret: give --new-secret, --secret or --secret-file.')
  const ms = readDuration(text)
  if (ms === undefined) throw usageError('--keep-old needs a time such as 30m, 24h or 7d.')
  return ms
}

const PROMPT_SHOWN = 80

function subscribedText(route: SubscriptionView, isUpdate: boolean): string {
  const { name, webhook_url, secret = '', prompt, deliver_only } = route
  const label = deliver_only ? 'Message' : 'Prompt'
  const more = prompt.length > PROMPT_SHOWN ? '...' : ''
  const lines = [
    `${isUpdate ? 'Updated' : 'Created'} webhook subscription: ${name}`,
    `URL:     ${webhook_url}`,
    `Secret:  ${secret}`,
    ...oldLines(route),
    ...factLines(route),
    ...(prompt === '' ? [] : [`${label}: ${prompt.slice(0, PROMPT_SHOWN)}${more}`]),
  ]
  return `${lines.join('\n  ')}

Configure the sender to post to the URL and to sign with the secret (HMAC-SHA256).
Start the gateway to receive events: flowdouble gateway run
`
}
