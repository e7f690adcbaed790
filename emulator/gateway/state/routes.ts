// Routes: parses them, checks them, and reads the subscriptions file.

import { logTarget, originTarget } from '../../../spec/gateway/deliveries.ts'
import { insecureSecret } from '../../../spec/gateway/signatures.ts'
import { webhookRoute } from '../../../spec/gateway/subscriptions.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { isTruthy } from '../../lib/python.ts'
import { readFile } from './read-subscriptions.ts'

/** A secret that counts until a moment, in milliseconds since 1970. */
export type OldSecret = { readonly secret: string; readonly untilMs: number }

/** A route as the gateway uses it. */
export type Route = {
  readonly name: string
  /** The effective secret; empty for none. */
  readonly secret: string
  /** Secrets that count beside it, each until a time of day. */
  readonly oldSecrets: readonly OldSecret[]
  /** The name of the only scheme that it accepts; null for those that headers select. */
  readonly scheme: string | null
  readonly isEnabled: boolean
  /** The accepted event types; an empty list for all, an empty text for none at all. */
  readonly events: readonly string[]
  /** Its filter, as written. */
  readonly writtenEvents: Json
  /** Whether its filter is valid: texts, or absent. */
  readonly isFilterValid: boolean
  /** The template; empty for none. */
  readonly prompt: string
  readonly skills: readonly string[]
  /** The target, as written. */
  readonly deliver: string
  readonly isDirect: boolean
  /** Whether its runs wait for each other. */
  readonly isInOrder: boolean
  readonly extra: JsonObject
  /** Whether that was an object, or absent. */
  readonly isExtraValid: boolean
  /** Whether it has no members. */
  readonly isEmpty: boolean
  /** The chat where it was subscribed: the target `origin`. */
  readonly origin: { readonly platform: string; readonly chat_id: string } | null
}

const textOrEmpty = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The members of a list: texts, trimmed and not empty. Splits a single text at its commas [subscriptions/lists]. */
export function readList(value: Json | undefined): readonly string[] {
  const items = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return items.map((item) => textOrEmpty(item).trim()).filter((item) => item !== '')
}

/** The same with its empty items, which match nothing: the quirk `webhooks.events-as-written`. */
export const readWrittenList = (text: string): readonly string[] =>
  text === '' ? [] : text.split(',').map((item) => item.trim())

/**
 * The event types of a filter; empty if the route accepts all. A filter with only empty pieces keeps
 * one of them: it matches no event, and the route accepts none [webhooks/filter-of-nothing].
 */
export function readEvents(value: Json | undefined): readonly string[] {
  const events = readList(value)
  if (events.length > 0 || value === '' || !isTruthy(value)) return events
  return ['']
}

const isFilter = (events: Json | undefined): boolean =>
  events === undefined ||
  events === null ||
  typeof events === 'string' ||
  (Array.isArray(events) && events.every((event) => typeof event === 'string'))

/** @param globalSecret for routes without the member `secret`; null for none. */
export function readRoute(name: string, given: JsonObject, globalSecret: string | null): Route {
  const secret = given.has('secret') ? textOrEmpty(given.get('secret')) : (globalSecret ?? '')
  const extra = given.get('deliver_extra')
  return {
    name,
    secret,
    oldSecrets: readOldSecrets(given.get('old_secrets')),
    scheme: readScheme(given.get('scheme')),
    isEnabled: given.get('enabled') !== false,
    events: readEvents(given.get('events')),
    writtenEvents: given.get('events') ?? null,
    isFilterValid: isFilter(given.get('events')),
    prompt: textOrEmpty(given.get('prompt')),
    skills: readList(given.get('skills')),
    deliver: given.has('deliver') ? textOrEmpty(given.get('deliver')) : logTarget,
    isDirect: isTruthy(given.get('deliver_only')),
    isInOrder: given.get('in_order') === true,
    extra: isObject(extra) ? extra : new Map(),
    isExtraValid: extra === undefined || isObject(extra),
    isEmpty: given.size === 0,
    origin: readOrigin(given.get('origin')),
  }
}

/** Without those that have no valid time, or could not open a route by themselves. */
function readOldSecrets(value: Json | undefined): readonly OldSecret[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => {
    const secret = isObject(item) ? textOrEmpty(item.get('secret')) : ''
    const untilMs = isObject(item) ? untilMsOf(item) : NaN
    return secret === '' || secret === insecureSecret || Number.isNaN(untilMs)
      ? []
      : [{ secret, untilMs }]
  })
}

/** The time of an old secret in milliseconds since 1970; NaN for one that has none. */
export const untilMsOf = (old: JsonObject): number =>
  Date.parse(textOrEmpty(old.get('valid_until')))

/** A value that is not a text names no scheme that exists: the route must not accept any. */
const readScheme = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : textOrEmpty(value)

function readOrigin(value: Json | undefined): Route['origin'] {
  if (!isObject(value)) return null
  const [platform, chat_id] = [
    textOrEmpty(value.get('platform')),
    textOrEmpty(value.get('chat_id')),
  ]
  // A chat on the platform `origin` does not exist.
  return platform === '' || platform === originTarget ? null : { platform, chat_id }
}

/**
 * Why a route cannot be served, as the rest of a sentence; undefined for a valid one.
 * @param isOpenAllowed whether the special secret switches validation off.
 * @param schemes those that a route can name; null if routes name none.
 */
export function usable(
  route: Route,
  isOpenAllowed: boolean,
  schemes: ReadonlyMap<string, unknown> | null,
): string | undefined {
  const { secret, scheme, isDirect, deliver, isFilterValid } = route
  // An empty or well-known secret never lets a post in [signatures/no-open-route].
  if (secret === '') return 'has no secret'
  if (secret === insecureSecret && !isOpenAllowed) {
    return `has the secret ${insecureSecret}, which does not protect it`
  }
  if (isDirect && (deliver === logTarget || deliver === ''))
    return `has deliver_only, but its target is "${deliver}"`
  if (scheme !== null && schemes?.has(scheme) === false)
    return `names the unknown scheme ${JSON.stringify(scheme)}.${didYouMean(scheme, [...schemes.keys()])} Schemes: ${[...schemes.keys()].join(', ')}`
  // Treating it as no filter would accept every event [subscriptions/events-are-texts].
  if (!isFilterValid) return 'has events that are not a list of strings'
  return undefined
}

const knownMembers = Object.keys(webhookRoute.properties)

/** What is wrong with the members of a route from a caller, as the rest of a sentence [subscriptions/stray-route-member]. */
export function unknownMember(given: JsonObject): string | undefined {
  for (const member of given.keys()) {
    if (!knownMembers.includes(member))
      return `has the unknown member ${JSON.stringify(member)}.${didYouMean(member, knownMembers)} Members: ${knownMembers.join(', ')}`
  }
  return undefined
}

/** The secrets in the options of a gateway; empty texts for missing ones. */
export const gatewaySecrets = (options: {
  readonly secret: string | null
  readonly routes: string
}): readonly string[] => [options.secret ?? '', ...secretsIn(options.routes)]

/** The secrets in a text of routes; none if it is not one. */
export function secretsIn(text: string): readonly string[] {
  const secrets: string[] = []
  const note = (holder: JsonObject): void => {
    const secret = holder.get('secret')
    if (typeof secret === 'string') secrets.push(secret)
  }
  for (const route of (text === '' ? undefined : readFile(text))?.values() ?? []) {
    note(route)
    oldHolders(route).forEach(note)
  }
  return secrets
}

const none: readonly JsonObject[] = []

/** The old secrets of a route, each an object whose member `secret` is one. */
function oldHolders(route: JsonObject): readonly JsonObject[] {
  const old = route.get('old_secrets')
  return Array.isArray(old) ? old.filter(isObject) : none
}

/** The objects of a route whose member `secret` is one: itself, and its old secrets. */
export const secretHolders = (route: JsonObject): readonly JsonObject[] => [
  route,
  ...oldHolders(route),
]
