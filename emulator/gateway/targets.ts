// Resolves the target of a route to a chat or comment.

import {
  commentFromPayload,
  commentTarget,
  deliveryErrors,
  extraMembers,
  originTarget,
  platforms,
  repositoryName,
  targets,
} from '../../spec/gateway/deliveries.ts'
import { isFloat, isObject, type Json, type JsonObject, writeJson } from '../lib/json.ts'
import { finite } from './post/payload.ts'
import { hasQuirk, type GatewayWorld } from './state/state.ts'
import type { Destination } from './state/facts.ts'
import type { Route } from './state/routes.ts'

/**
 * The place that a route delivers to.
 * @param extra the `deliver_extra` of the route, rendered.
 */
export function destinationOf(
  world: GatewayWorld,
  route: Route,
  extra: JsonObject,
  payload: Json,
): Destination {
  if (route.deliver === commentTarget) return commentPlace(world, extra, payload)
  const isUndeliverable = hasQuirk(world, 'webhooks.origin-undeliverable')
  const place = chatPlace(world.setup.options, route, extra, isUndeliverable)
  const thread_id = first(extra, extraMembers.thread)
  const { target, chat_id, fault } = place
  return { target, chat_id, thread_id, deliver_extra: plain(extra), fault: fault?.text ?? null }
}

/** The chats that a gateway has. */
export type Chats = {
  readonly homeChannels: Readonly<Record<string, string>>
  readonly connected: readonly string[] | null
}

/** The target of a route, its chat, and why no delivery can succeed there; undefined if one can. */
export type ChatPlace = {
  readonly target: string
  readonly chat_id: string | number | null
  readonly fault: { readonly name: keyof typeof deliveryErrors; readonly text: string } | undefined
}

/** The chat to which a route delivers. A comment has none. */
export function chatPlace(
  { homeChannels, connected }: Chats,
  { deliver, origin, isDirect }: Route,
  extra: JsonObject,
  isOriginUndeliverable: boolean,
): ChatPlace {
  const isOrigin = deliver === originTarget
  // A direct delivery ignores the case of a platform, like the reference gateway [deliveries/target-case].
  const named = isDirect ? (platformOf(deliver) ?? deliver) : deliver
  const target = isOrigin ? (origin?.platform ?? deliver) : named
  const isChat = platforms.some((platform) => platform === target)
  const home = isChat ? ownProperty(homeChannels, target) : undefined
  const own = isOrigin ? (origin?.chat_id ?? null) : first(extra, extraMembers.chat)
  const chat_id = own === null || own === '' ? home || null : own
  const isUnknown = isOrigin
    ? (origin !== null && !isChat) || isOriginUndeliverable
    : !targets.some((one) => one === target)
  const name = isUnknown
    ? 'unknownTarget'
    : isChat
      ? chatError(connected, target, chat_id)
      : undefined
  if (name === undefined) return { target, chat_id, fault: undefined }
  const text = deliveryErrors[name].replace('{target}', () => (isUnknown ? deliver : target))
  return { target, chat_id, fault: { name, text } }
}

/** The platform of a name in any case. */
const platformOf = (name: string): string | undefined => {
  const lower = name.toLowerCase()
  return platforms.find((platform) => platform === lower)
}

/** Why a chat platform rejects a text; undefined if it accepts it [deliveries/not-connected, deliveries/no-chat]. */
function chatError(
  connected: Chats['connected'],
  platform: string,
  chat: ExtraValue,
): 'notConnected' | 'noChat' | undefined {
  if (connected !== null && !connected.includes(platform)) return 'notConnected'
  return chat === null ? 'noChat' : undefined
}

const ownProperty = (texts: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(texts, name) ? texts[name] : undefined

/** The first member that is not empty, as a text or a number; null without one. */
function first(extra: JsonObject, names: readonly string[]): string | number | null {
  for (const name of names) {
    const value = extra.get(name)
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'bigint') return `${value}`
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (isFloat(value)) return value.float
  }
  return null
}

function commentPlace(world: GatewayWorld, extra: JsonObject, payload: Json): Destination {
  const needsExtra = hasQuirk(world, 'webhooks.comment-needs-extra')
  const find = (names: readonly string[], paths: readonly string[]) =>
    first(extra, names) ?? (needsExtra ? null : firstAt(payload, paths))
  const repository = find(extraMembers.repository, commentFromPayload.repository)
  const number = find(extraMembers.number, commentFromPayload.number)
  const fault = commentFault(repository, number)
  const numbered = { repo: repository, pr_number: wholeNumber(number) ?? number }
  const resolved = Object.assign({}, plain(extra), numbered)
  const deliver_extra = fault === null ? resolved : plain(extra)
  return { target: commentTarget, chat_id: null, thread_id: null, deliver_extra, fault }
}

/** The first path into the payload that resolves to a text or a number that is not empty. */
function firstAt(payload: Json, paths: readonly string[]): string | number | null {
  for (const path of paths) {
    const parts = path.split('.')
    const last = parts.pop() as string
    let owner: Json | undefined = payload
    for (const part of parts) owner = isObject(owner) ? owner.get(part) : undefined
    const found = isObject(owner) ? first(owner, [last]) : null
    if (found !== null) return found
  }
  return null
}

type ExtraValue = string | number | null

function commentFault(repository: ExtraValue, number: ExtraValue): string | null {
  if (!repository || !number) return deliveryErrors.commentIncomplete
  if ((wholeNumber(number) ?? 0) <= 0) return deliveryErrors.commentNumber
  const isName =
    typeof repository === 'string' &&
    repositoryName.test(repository) &&
    // These two are relative path segments, not names.
    !repository.split('/').some((part) => part === '.' || part === '..')
  return isName ? null : deliveryErrors.commentRepository
}

/** The number of a comment, without its fraction; undefined for any other text. */
function wholeNumber(value: ExtraValue): number | undefined {
  const number = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Math.abs(number) <= Number.MAX_SAFE_INTEGER
    ? Math.trunc(number)
    : undefined
}

/** A JSON object as plain data: for observers, not for templates. */
function plain(value: JsonObject): Readonly<Record<string, unknown>> {
  if (value.size === 0) return {}
  return JSON.parse(writeJson(finite(value))) as Record<string, unknown>
}

/** A JSON value as plain data. */
export const plainValue = (value: Json): unknown =>
  typeof value === 'string' ? value : (JSON.parse(writeJson(finite(value))) as unknown)
