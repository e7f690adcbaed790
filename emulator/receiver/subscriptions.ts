// Subscriptions as data: their names and lists, and what subscribing makes of an entry of the file.

import { logTarget, platforms, targets } from '../../spec/deliveries.ts'
import { insecureSecret } from '../../spec/signatures.ts'
import { defaultDescription, routeName, webhookRoute } from '../../spec/subscriptions.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { refused } from '../refused.ts'

/** What `webhook subscribe` is asked for. Texts that are empty count as not given. */
export type SubscribeRequest = {
  /** As `readName` gives it. */
  readonly name: string
  readonly description: string
  readonly events: readonly string[]
  readonly prompt: string
  readonly skills: readonly string[]
  readonly deliver: string
  readonly chatId: string
  readonly isDirect: boolean
  /** The place where the route was subscribed, or null. */
  readonly origin: Place | null
  /** The secret of the user, or null where there is none. */
  readonly secret: string | null
  /** Whether an entry that has a secret gets another one. */
  readonly wantsNewSecret: boolean
}

/** A chat of a platform. */
export type Place = { readonly platform: string; readonly chatId: string }

/** What the outside contributes to an entry. */
export type Ingredients = {
  /** A fresh secret, taken where one is needed. */
  readonly generated: string
  /** The time in seconds, as `created_at` has it. */
  readonly created_at: string
  readonly quirks: readonly string[]
}

/**
 * The name of a subscription in the one form that all commands use [subscriptions/names].
 * Throws a refusal where it cannot be brought into that form.
 */
export function readName(text: string): string {
  const name = text.trim().toLowerCase().replace(/\s/g, '-')
  if (routeName.test(name)) return name
  throw refused(
    `${JSON.stringify(name)} is no name of a route. Take letters, digits, - and _, and a letter or digit first.`,
  )
}

/** A list that is written as one text with commas, or already as a list [subscriptions/lists]. */
export function readList(value: Json | undefined): readonly string[] {
  const texts = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return texts.flatMap((text) => (typeof text === 'string' && text.trim()) || [])
}

/** `PLATFORM:CHAT` as a place, or undefined where it has another form [subscriptions/origin]. */
export function readPlace(text: string): Place | undefined {
  const [, platform = '', chatId = ''] = /^([^:]*):(.+)$/s.exec(text) ?? []
  const isKnown = platforms.some((one) => one === platform)
  return isKnown && chatId.trim() !== '' ? { platform, chatId } : undefined
}

/** Throws a refusal for a secret of the user that validates nothing [subscriptions/secret-refused]. */
export function requireSecret(secret: string, quirks: readonly string[]): void {
  if (secret === '') throw refused('The secret is empty. Leave it out to have one generated.')
  if (secret === insecureSecret && !quirks.includes('webhooks.insecure-no-auth'))
    throw refused(`${insecureSecret} is no secret: no route takes posts that nobody signed.`)
  if (/\p{Cc}/u.test(secret))
    throw refused(
      'The secret has line breaks or other control characters, which no header carries.',
    )
}

/** Throws a refusal for a target that there is not, and for a direct delivery to none. */
function requireTarget({ deliver, isDirect }: SubscribeRequest): void {
  const real = targets.filter((target) => target !== logTarget)
  if (!targets.some((target) => target === deliver)) {
    throw refused(`There is no target ${JSON.stringify(deliver)}. Targets: ${targets.join(', ')}.`)
  }
  if (isDirect && deliver === logTarget) {
    throw refused(
      `--deliver-only needs a real target, not ${logTarget}. Give --deliver with one of: ${real.join(', ')}.`,
    )
  }
}

/** Members of a route that a subscription sets or takes away: all others are left as they are. */
const known: ReadonlySet<string> = new Set(Object.keys(webhookRoute.properties))

/**
 * The entry that subscribing leaves in the file. An entry that is there already keeps its secret, its creation time and
 * the members that nobody here knows; the rest is replaced [subscriptions/update].
 * Throws a refusal for a request that cannot be met.
 */
export function subscribedEntry(
  request: SubscribeRequest,
  before: Json | undefined,
  { generated, created_at, quirks }: Ingredients,
): JsonObject {
  const { name, secret, chatId, origin } = request
  requireTarget(request)
  if (secret !== null) requireSecret(secret, quirks)
  if (before !== undefined && !isObject(before)) {
    throw refused(
      `The subscriptions file has a member ${JSON.stringify(name)} that is no route. Take it out by hand.`,
    )
  }
  const rotates = quirks.includes('webhooks.update-rotates-secret')
  const kept = rotates ? undefined : before
  const keptSecret = request.wantsNewSecret ? undefined : usableSecret(kept)
  const keptTime = kept?.get('created_at')
  const entry: JsonObject = new Map<string, Json>([
    ['description', request.description || defaultDescription.replace('{name}', name)],
    ['events', [...request.events]],
    ['secret', secret ?? keptSecret ?? generated],
    ['prompt', request.prompt],
    ['skills', [...request.skills]],
    ['deliver', request.deliver],
    ['created_at', typeof keptTime === 'string' && keptTime !== '' ? keptTime : created_at],
  ])
  if (request.isDirect) entry.set('deliver_only', true)
  if (chatId !== '') entry.set('deliver_extra', new Map([['chat_id', chatId]]))
  if (origin !== null)
    entry.set(
      'origin',
      new Map(Object.entries({ platform: origin.platform, chat_id: origin.chatId })),
    )
  for (const [member, value] of before ?? []) if (!known.has(member)) entry.set(member, value)
  return entry
}

/** The secret of an entry, where it validates anything. */
function usableSecret(entry: JsonObject | undefined): string | undefined {
  const secret = entry?.get('secret')
  return typeof secret === 'string' && secret !== '' && secret !== insecureSecret
    ? secret
    : undefined
}

/** A subscription as it is shown. Members follow the schema `subscriptionList` of the specification. */
export type Shown = {
  readonly name: string
  readonly webhook_url: string
  readonly secret?: string
  readonly description: string
  readonly events: readonly string[]
  readonly skills: readonly string[]
  readonly prompt: string
  readonly deliver: string
  readonly deliver_only: boolean
  readonly created_at: string
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/**
 * An entry of the file as it is shown: with the secret that its sender needs, the global one where it has none of its own.
 */
export function shown(
  name: string,
  entry: JsonObject,
  {
    webhook_url,
    globalSecret,
  }: { readonly webhook_url: string; readonly globalSecret: string | null },
): Shown {
  const secret = entry.has('secret') ? textOf(entry.get('secret')) : (globalSecret ?? '')
  return {
    name,
    webhook_url,
    ...(secret !== '' && { secret }),
    description: textOf(entry.get('description')),
    events: readList(entry.get('events')),
    skills: readList(entry.get('skills')),
    prompt: textOf(entry.get('prompt')),
    deliver: textOf(entry.get('deliver')) || logTarget,
    deliver_only: entry.get('deliver_only') === true,
    created_at: textOf(entry.get('created_at')),
  }
}

/** Why a gateway does not serve an entry as it stands, or undefined where it does. */
export function hindrance(
  entry: JsonObject,
  { secret, deliver, deliver_only }: Shown,
): string | undefined {
  if (secret === undefined || secret === insecureSecret) return 'left out: it has no secret'
  if (deliver_only && deliver === logTarget) return 'left out: direct delivery needs a real target'
  return entry.get('enabled') === false ? 'disabled: posts are answered 403' : undefined
}
