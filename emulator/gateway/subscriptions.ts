// Subscriptions as data: their names and lists, and what subscribing makes of an entry of the file.

import { logTarget, platforms, targets } from '../../spec/gateway/deliveries.ts'
import { base64SecretPrefix, insecureSecret } from '../../spec/gateway/signatures.ts'
import { defaultDescription, routeName, webhookRoute } from '../../spec/gateway/subscriptions.ts'
import { isObject, type Json, type JsonObject } from '../lib/json.ts'
import { refused } from '../lib/refused.ts'
import { type Route, usable } from './routes.ts'

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

/**
 * The same for a secret that the user gives now, which also has to be a text as it is: what was no UTF-8 has lost its
 * bytes, and blanks around it are lost on the way in a header [subscriptions/secret-text].
 */
export function requireGivenSecret(secret: string, quirks: readonly string[]): void {
  requireSecret(secret, quirks)
  if (secret.includes('\uFFFD')) throw refused('The secret is no text in UTF-8.')
  if (secret.trim() === '') throw refused('The secret is blank.')
  if (secret.trim() !== secret)
    throw refused('The secret begins or ends with a blank. Leave the blanks out.')
}

/**
 * Throws a refusal for a secret that looks encoded and cannot be: senders that sign with what it stands for have none.
 * A secret of letters, digits and _ passes: other senders sign with such a text as it is [subscriptions/secret-encoded].
 */
export function requireKey(secret: string): void {
  if (!secret.startsWith(base64SecretPrefix)) return
  if (/^[\w+/-]+=*$/.test(secret.slice(base64SecretPrefix.length))) return
  throw refused(
    `What follows ${base64SecretPrefix} in the secret is no base64: no sender has such a key.`,
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
  if (secret !== null) {
    requireGivenSecret(secret, quirks)
    requireKey(secret)
  }
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
export type SubscriptionView = {
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

/** A route as it is shown: with the secret that its sender needs, the global one where it has none of its own. */
export function subscriptionView(
  route: Route,
  entry: JsonObject,
  webhook_url: string,
): SubscriptionView {
  const { name, secret, events, skills, prompt, deliver, isDirect } = route
  const textOf = (member: string): string => {
    const text = entry.get(member)
    return typeof text === 'string' ? text : ''
  }
  return {
    name,
    webhook_url,
    ...(secret !== '' && { secret }),
    description: textOf('description'),
    events,
    skills,
    prompt,
    deliver,
    deliver_only: isDirect,
    created_at: textOf('created_at'),
  }
}

/** Why a gateway takes no posts to a route, as the rest of a sentence; undefined where it does. */
export const hindrance = (route: Route, quirks: readonly string[]): string | undefined =>
  usable(route, quirks.includes('webhooks.insecure-no-auth')) ??
  (route.isEnabled ? undefined : 'is disabled')
