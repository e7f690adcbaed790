// Subscriptions as data: names, lists, and the entry of the file that subscribing creates.

import { logTarget, platforms, targets } from '../../spec/gateway/deliveries.ts'
import { base64SecretPrefix, insecureSecret } from '../../spec/gateway/signatures.ts'
import { defaultDescription, routeName, webhookRoute } from '../../spec/gateway/subscriptions.ts'
import { isObject, type Json, type JsonObject } from '../lib/json.ts'
import { refused } from '../lib/refused.ts'
import { type NamedScheme, type OwnSchemes, schemesWith } from './post/schemes.ts'
import { type Route, untilMsOf, usable } from './state/routes.ts'
import { secondText } from '../lib/time-text.ts'

/** The request of `webhook subscribe`. Empty texts count as absent. */
export type SubscribeRequest = {
  /** As `readName` returns it. */
  readonly name: string
  readonly description: string
  readonly events: readonly string[]
  readonly prompt: string
  readonly skills: readonly string[]
  readonly deliver: string
  readonly chatId: string
  readonly isDirect: boolean
  readonly isInOrder: boolean
  /** The place where the route was subscribed, or null. */
  readonly origin: Chat | null
  /** The scheme of its sender, or null. */
  readonly scheme: NamedScheme | null
  /** The user's secret, or null. */
  readonly secret: string | null
  /** Whether to replace the secret of an existing entry. */
  readonly wantsNewSecret: boolean
  /** Until when a secret that is replaced counts too, in milliseconds since 1970; null for no longer. */
  readonly keepOldUntilMs: number | null
}

/** A chat of a platform. */
export type Chat = { readonly platform: string; readonly chatId: string }

/** The parts of an entry that come from outside. */
export type EntryParts = {
  /** A new secret, used if one is needed. */
  readonly generated: string
  /** The time in seconds, as `created_at` has it. */
  readonly created_at: string
  readonly quirks: readonly string[]
  /** The secret of entries without that member, or null. */
  readonly globalSecret: string | null
}

/**
 * Normalizes the name of a subscription, the same way for all commands [subscriptions/names].
 * Throws a refusal for an invalid name.
 */
export function readName(text: string): string {
  const name = text.trim().toLowerCase().replace(/\s/g, '-')
  if (routeName.test(name)) return name
  throw refused(
    `${JSON.stringify(name)} is not a valid route name. Use letters, digits, - and _, and begin with a letter or digit.`,
  )
}

/** Parses `PLATFORM:CHAT`; undefined for any other form [subscriptions/origin]. */
export function readPlace(text: string): Chat | undefined {
  const [, platform = '', chatId = ''] = /^([^:]*):(.+)$/s.exec(text) ?? []
  const isKnown = platforms.some((one) => one === platform)
  return isKnown && chatId.trim() !== '' ? { platform, chatId } : undefined
}

/** Throws a refusal for a secret that would not validate anything [subscriptions/secret-refused]. */
export function requireSecret(secret: string, quirks: readonly string[]): void {
  if (secret === '') throw refused('The secret is empty. Leave it out to have one generated.')
  if (secret === insecureSecret && !quirks.includes('webhooks.insecure-no-auth'))
    throw refused(`${insecureSecret} is not a valid secret: routes accept signed posts only.`)
  if (/\p{Cc}/u.test(secret))
    throw refused(
      'The secret contains line breaks or other control characters, which are not valid in a header.',
    )
}

/**
 * The same for a secret that the user enters, which must also be intact: text that was not valid UTF-8 has lost
 * bytes, and headers lose surrounding spaces [subscriptions/secret-text].
 */
export function requireGivenSecret(secret: string, quirks: readonly string[]): void {
  requireSecret(secret, quirks)
  if (secret.includes('\uFFFD')) throw refused('The secret is not valid UTF-8.')
  if (secret.trim() === '') throw refused('The secret is blank.')
  if (secret.trim() !== secret) throw refused('The secret begins or ends with a space. Remove it.')
}

/**
 * Throws a refusal for a secret that looks encoded but is not valid: senders that decode it could not sign.
 * Accepts a secret of letters, digits and _: other senders sign with that text itself [subscriptions/secret-encoded].
 */
export function requireKey(secret: string): void {
  if (!secret.startsWith(base64SecretPrefix)) return
  if (/^[\w+/-]+=*$/.test(secret.slice(base64SecretPrefix.length))) return
  throw refused(
    `The secret after ${base64SecretPrefix} is not valid base64: copy it again from the sender.`,
  )
}

/** Throws a refusal for an unknown target, and for a direct delivery without a real one. */
function requireTarget({ deliver, isDirect }: SubscribeRequest): void {
  const real = targets.filter((target) => target !== logTarget)
  if (!targets.some((target) => target === deliver)) {
    throw refused(`Unknown target ${JSON.stringify(deliver)}. Targets: ${targets.join(', ')}.`)
  }
  if (isDirect && deliver === logTarget) {
    throw refused(
      `--deliver-only requires a real target, not ${logTarget}. Give --deliver with one of: ${real.join(', ')}.`,
    )
  }
}

/** Members of a route that a subscription sets or removes; all others stay. */
const known: ReadonlySet<string> = new Set(Object.keys(webhookRoute.properties))

/**
 * The entry that subscribing writes to the file. An existing entry keeps its secret, its creation time and unknown
 * members; the rest is replaced [subscriptions/update].
 * Throws a refusal for an invalid request.
 */
export function subscribedEntry(
  request: SubscribeRequest,
  before: Json | undefined,
  { generated, created_at, quirks, globalSecret }: EntryParts,
): JsonObject {
  const { name, secret, chatId, origin, scheme } = request
  requireTarget(request)
  if (secret !== null) {
    requireGivenSecret(secret, quirks)
    requireKey(secret)
  }
  if (before !== undefined && !isObject(before)) {
    throw refused(
      `The subscriptions file has a member ${JSON.stringify(name)} that is not a valid route. Remove it by hand.`,
    )
  }
  const rotates = quirks.includes('webhooks.update-rotates-secret')
  const kept = rotates ? undefined : before
  const keptSecret = request.wantsNewSecret ? undefined : usableSecret(kept)
  const keptTime = kept?.get('created_at')
  const newSecret = secret ?? keptSecret ?? fittingSecret(generated, scheme)
  requireUser(newSecret, scheme)
  const entry: JsonObject = new Map<string, Json>([
    ['description', request.description || defaultDescription.replace('{name}', name)],
    ['events', [...request.events]],
    ['secret', newSecret],
    ['prompt', request.prompt],
    ['skills', [...request.skills]],
    ['deliver', request.deliver],
    ['created_at', typeof keptTime === 'string' && keptTime !== '' ? keptTime : created_at],
  ])
  if (request.isDirect) entry.set('deliver_only', true)
  if (request.isInOrder) entry.set('in_order', true)
  if (chatId !== '') entry.set('deliver_extra', new Map([['chat_id', chatId]]))
  if (origin !== null)
    entry.set(
      'origin',
      new Map(Object.entries({ platform: origin.platform, chat_id: origin.chatId })),
    )
  if (before !== undefined) {
    const last = before.has('secret') ? usableSecret(before) : (globalSecret ?? undefined)
    const old = oldSecrets(before, last, newSecret, request.keepOldUntilMs)
    if (old.length > 0) entry.set('old_secrets', old)
  }
  if (scheme !== null) entry.set('scheme', scheme.name)
  for (const [member, value] of before ?? []) if (!known.has(member)) entry.set(member, value)
  return entry
}

/** An entry with the secrets of another, and nothing else of it [subscriptions/rotate]. */
export function withSecretsOf(entry: JsonObject, other: JsonObject): JsonObject {
  const rotated = new Map(entry)
  for (const member of ['secret', 'old_secrets']) {
    const value = other.get(member)
    if (value === undefined) rotated.delete(member)
    else rotated.set(member, value)
  }
  return rotated
}

/**
 * The secrets that count beside a new one: earlier ones as long as the last one does [subscriptions/keep-old,
 * subscriptions/old-ended].
 */
function oldSecrets(
  before: JsonObject,
  last: string | undefined,
  secret: string,
  untilMs: number | null,
): Json[] {
  const given = before.get('old_secrets')
  const earlier = Array.isArray(given) ? given : []
  if (last === undefined || last === secret) return earlier
  if (untilMs === null) return []
  return [
    ...earlier,
    new Map([
      ['secret', last],
      ['valid_until', secondText(untilMs)],
    ]),
  ]
}

/** Removes the old secrets of an entry whose time has passed [subscriptions/old-dropped]. */
export function dropExpired(entry: JsonObject, nowMs: number): void {
  const given = entry.get('old_secrets')
  if (!Array.isArray(given)) return
  const left = given.filter((old) => !(isObject(old) && untilMsOf(old) <= nowMs))
  if (left.length === 0) entry.delete('old_secrets')
  else entry.set('old_secrets', left)
}

/** Whether a scheme sends its secret as a user and a password. */
const sendsUser = (named: NamedScheme | null): boolean => named?.scheme.prefix === 'Basic '

/** A generated secret in the form that the sender of a scheme takes [subscriptions/scheme]. */
function fittingSecret(generated: string, named: NamedScheme | null): string {
  if (sendsUser(named)) return `webhook:${generated}`
  if (named?.scheme.key !== 'base64') return generated
  const letters = generated.replaceAll('-', '+').replaceAll('_', '/')
  return base64SecretPrefix + letters.padEnd(Math.ceil(letters.length / 4) * 4, '=')
}

/** Throws a refusal for a secret without the user that its scheme sends. */
function requireUser(secret: string, named: NamedScheme | null): void {
  if (sendsUser(named) && !secret.includes(':'))
    throw refused(
      `The secret of the scheme ${named?.name} is USER:PASSWORD. Give --secret USER:PASSWORD, or --new-secret.`,
    )
}

/** The secret of an entry, if it is valid. */
function usableSecret(entry: JsonObject | undefined): string | undefined {
  const secret = entry?.get('secret')
  return typeof secret === 'string' && secret !== '' && secret !== insecureSecret
    ? secret
    : undefined
}

/** A subscription as commands print it. Members follow the schema `subscriptionList` of the specification. */
export type SubscriptionView = {
  readonly name: string
  readonly webhook_url: string
  readonly secret?: string
  /** Those that still count. */
  readonly old_secrets?: readonly { readonly secret?: string; readonly valid_until: string }[]
  /** The only scheme that it accepts. */
  readonly scheme?: string
  readonly description: string
  readonly events: readonly string[]
  readonly skills: readonly string[]
  readonly prompt: string
  readonly deliver: string
  readonly deliver_only: boolean
  readonly created_at: string
  /** Only for a route of config.yaml. */
  readonly is_static?: true
}

/** A route as commands print it: with the secret that its sender needs, which is the global one by default. */
export function subscriptionView(
  route: Route,
  entry: JsonObject,
  webhook_url: string,
  nowMs: number,
): SubscriptionView {
  const { name, secret, scheme, events, skills, prompt, deliver, isDirect } = route
  const old = route.oldSecrets.filter(({ untilMs }) => untilMs > nowMs)
  const old_secrets = old.map((one) => ({
    secret: one.secret,
    valid_until: secondText(one.untilMs),
  }))
  const memberText = (member: string): string => {
    const text = entry.get(member)
    return typeof text === 'string' ? text : ''
  }
  return {
    name,
    webhook_url,
    ...(secret !== '' && { secret }),
    ...(old.length > 0 && { old_secrets }),
    ...(scheme !== null && { scheme }),
    description: memberText('description'),
    events,
    skills,
    prompt,
    deliver,
    deliver_only: isDirect,
    created_at: memberText('created_at'),
  }
}

/** Why a gateway accepts no posts to a route, as the rest of a sentence; undefined if it does. */
export const postObstacle = (
  route: Route,
  quirks: readonly string[],
  own: OwnSchemes,
): string | undefined =>
  usable(
    route,
    quirks.includes('webhooks.insecure-no-auth'),
    quirks.includes('webhooks.fewer-schemes') ? null : schemesWith(own),
  ) ?? (route.isEnabled ? undefined : 'is disabled')
