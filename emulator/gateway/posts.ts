// Handles a post to a route: the checks of the spec in order, then a direct delivery or an agent run.

import type { Scheme } from '../../spec/gateway/signatures.ts'
import { unknownEvent } from '../../spec/gateway/webhooks.ts'
import { isObject, type Json, type JsonObject } from '../lib/json.ts'
import { isTruthy, pythonEquals } from '../lib/python.ts'
import { drawUuid } from '../lib/random.ts'
import { accept, countShared, joinsPending } from './acceptance.ts'
import { answer, type TextReply } from './answers.ts'
import {
  deliveryIdOf,
  eventOf,
  parseBody,
  parseLoosely,
  type Payload,
  payloadText,
  undecodable,
} from './post/payload.ts'
import type { GatewayInput, PostEffect } from './state/inputs.ts'
import { keyOf } from './deliveries/keys.ts'
import { joins } from './outbox.ts'
import { originOf } from './post/origin.ts'
import { crash, headerRules, refuse, report } from './refusals.ts'
import { countPost } from './state/rate-limit.ts'
import { runBytes } from './state/waiting.ts'
import { hasQuirk, type GatewayWorld, timeMs } from './state/state.ts'
import type { Destination } from './state/facts.ts'
import { routeOf } from './static-routes.ts'
import type { Route } from './state/routes.ts'
import { hasRoom } from './runs.ts'
import { forget, remember } from './state/delivery-ids.ts'
import { destinationOf, plainValue } from './targets.ts'
import { type Context, namesEvent, render } from './post/templates.ts'
import { bodyFacts, packedFault, verifyPost } from './verified-post.ts'

type Post = Extract<GatewayInput, { kind: 'request' }>

/** Whether a route of this name accepts posts, so that their bodies matter. */
export const takesPosts = (world: GatewayWorld, name: string): boolean =>
  !world.state.isDraining && routeOf(world, name)?.isEnabled === true

/** The reply to a post; undefined if it comes with the end of its delivery. */
export function takePost(world: GatewayWorld, post: Post, name: string): TextReply | undefined {
  const route = routeOf(world, name)
  if (route === undefined) return refuse(world, post, name, 'unknownRoute')
  if (!route.isEnabled) return refuse(world, post, name, 'routeDisabled')
  if (world.state.isDraining) return refuse(world, post, name, 'stopping')
  const { body } = post
  const bytes = Math.max(body.length, post.packed?.length ?? 0)
  const isTooLarge = bytes > world.setup.options.maxBodyBytes
  if (isTooLarge || post.fault === 'tooLarge') return refuse(world, post, name, 'payloadTooLarge')
  if (post.bound === 'unfinished-bodies') return refuse(world, post, name, 'tooManyBodies')
  if (post.bound === 'slow-body') return refuse(world, post, name, 'tooSlow')
  if (post.fault !== undefined) return refuse(world, post, name, 'badRequest')
  const verified = verifyPost(world, post, route)
  if (verified === undefined) return crash(world, post, name)
  if ('fault' in verified) {
    const more = `${verified.fault} (${bodyFacts(post)})`
    return refuse(world, post, name, 'invalidSignature', more)
  }
  // Before the work of reading and rendering a body that would be refused anyway.
  if (!route.isDirect && !hasRoom(world, name, body.length))
    return refuse(world, post, name, 'tooManyRuns')
  const { rateLimit } = world.setup.options
  if (!countPost(world.state.rates, name, rateLimit, world.state.nowMs)) {
    return refuse(world, post, name, 'rateLimited')
  }
  // The reference gateway knows the ids and events of all senders alike.
  const scheme = hasQuirk(world, 'webhooks.fewer-schemes') ? undefined : verified.scheme
  return countShared(world, post.request, name, () => read(world, post, route, scheme))
}

/** Reads a post with a valid signature, and applies its route. */
function read(
  world: GatewayWorld,
  post: Post,
  route: Route,
  scheme: Scheme | undefined,
): TextReply | undefined {
  const { name } = route
  const isLoose = hasQuirk(world, 'webhooks.crash-500')
  const payload = isLoose ? parseLoosely(post.body) : parseBody(post.body, post.headers)
  if (payload === undefined) return refuse(world, post, name, 'cannotParse', packedFault(post))
  if (payload === undecodable) return crash(world, post, name)
  const isPython = hasQuirk(world, 'webhooks.python-json')
  const event = eventOf(post.headers, payload.value, scheme, isPython)
  if (!isObject(payload.value)) {
    if (!isLoose) return refuse(world, post, name, 'cannotParse')
    // The reference gateway looks for an event type in any payload, unless a header names it.
    if (event === unknownEvent) return crash(world, post, name)
  }
  return act(world, post, route, payload, event, scheme)
}

/** Applies the route to a post with a valid signature and payload. */
function act(
  world: GatewayWorld,
  post: Post,
  route: Route,
  payload: Payload,
  event: Json,
  scheme: Scheme | undefined,
): TextReply | undefined {
  const { name } = route
  const isPython = hasQuirk(world, 'webhooks.python-json')
  const crashes = hasQuirk(world, 'webhooks.crash-500')
  const filtered = filter(world, post, route, event)
  if (filtered !== undefined) return filtered
  if (crashes && typeof event !== 'string' && namesEvent(route.prompt))
    return crash(world, post, name)
  const isCut = hasQuirk(world, 'webhooks.cut-prompt')
  const context = { payload: payload.value, event, route: name, isCut, isPython }
  const text = render(route.prompt, context)
  const extra = renderExtra(world, route.extra, context)
  if (text === undefined || extra === undefined) return refuse(world, post, name, 'textTooLong')
  const delivery_id =
    deliveryIdOf(post.headers, payload.value, scheme, headerRules(world)) ?? makeId(world)
  if (!remember(world, name, delivery_id)) {
    report(world, post, name, 'duplicate', null, plainValue(event), delivery_id)
    return joins(world, name, delivery_id, post.request) ||
      joinsPending(world, name, delivery_id, post.request)
      ? undefined
      : answer('duplicate', { delivery_id }, isPython)
  }
  if (crashes && !route.isExtraValid) return crash(world, post, name)
  const place = destinationOf(world, route, extra, payload.value)
  const accepted = { post, route, payload, event, delivery_id, text }
  return route.isDirect
    ? deliverText(world, accepted, place)
    : startAgentRun(world, accepted, place)
}

/** The reply to a post whose event the route does not accept; undefined if it does. */
function filter(world: GatewayWorld, post: Post, route: Route, event: Json): TextReply | undefined {
  const { name, writtenEvents } = route
  if (!hasQuirk(world, 'webhooks.events-as-written'))
    return acceptsEvent(route, event) ? undefined : ignore(world, post, name, event)
  // Searches a text for texts only.
  const crashes = hasQuirk(world, 'webhooks.crash-500')
  if (crashes && typeof event !== 'string' && isFilledText(writtenEvents))
    return crash(world, post, name)
  return takesWritten(writtenEvents, event) ? undefined : ignore(world, post, name, event)
}

/** A post that passes all checks, with its rendered text. */
type RenderedPost = {
  readonly post: Post
  readonly route: Route
  readonly payload: Payload
  readonly event: Json
  readonly delivery_id: string
  readonly text: string
}

function acceptedEffect({ post, route, event, delivery_id }: RenderedPost): PostEffect {
  const { request, address, headers } = post
  const from = originOf(address, headers)
  const effect = {
    kind: 'post',
    request,
    route: route.name,
    event: plainValue(event),
    delivery_id,
    verdict: 'accepted',
    reason: null,
  } as const
  return Object.assign(effect, from && { from })
}

/** Delivers the text of a post. The reply comes with the end of the delivery. */
function deliverText(
  world: GatewayWorld,
  rendered: RenderedPost,
  place: Destination,
): TextReply | undefined {
  const { route, delivery_id, text } = rendered
  const post = acceptedEffect(rendered)
  const literal = runMessage(world, route, text)
  const message = {
    key: keyOf(world.setup.hmac, route.name, delivery_id, literal),
    route: route.name,
    event: post.event,
    delivery_id,
    text: literal,
  }
  return accept(world, { post, work: { kind: 'direct', place, message, deliver: route.deliver } })
}

/** Starts the agent run of a post, if there is room for it. */
function startAgentRun(
  world: GatewayWorld,
  rendered: RenderedPost,
  place: Destination,
): TextReply | undefined {
  const { post: request, route, payload, event, delivery_id, text } = rendered
  const { name, skills, isInOrder } = route
  const post = acceptedEffect(rendered)
  const acceptedMs = timeMs(world)
  const run = {
    key: keyOf(world.setup.hmac, name, delivery_id, acceptedMs),
    route: name,
    event: post.event,
    delivery_id,
    prompt: text,
    skills,
    payload: payloadText(payload),
    place,
    isInOrder,
    acceptedMs,
    answered: null,
  }
  if (!hasRoom(world, name, runBytes(run))) {
    // A retry by the sender is not a repeat.
    forget(world, name, delivery_id)
    return refuse(world, request, name, 'tooManyRuns')
  }
  const isPython = hasQuirk(world, 'webhooks.python-json')
  const reply = answer('accepted', { name, event, delivery_id }, isPython)
  return accept(world, { post, work: { kind: 'run', run, reply } })
}

function ignore(world: GatewayWorld, post: Post, name: string, event: Json): TextReply {
  report(world, post, name, 'ignored', null, plainValue(event))
  return answer('ignored', { event }, hasQuirk(world, 'webhooks.python-json'))
}

/** Whether the filter of a route accepts an event [webhooks/filter-exact]. */
const acceptsEvent = ({ events }: Route, event: Json): boolean =>
  events.length === 0 || events.some((listed) => listed === event)

const isFilledText = (events: Json): boolean => typeof events === 'string' && events !== ''

/** The same for a filter as written, by the rules of Python: a text contains its substrings. */
function takesWritten(events: Json, event: Json): boolean {
  if (!isTruthy(events)) return true
  if (typeof events === 'string') return typeof event === 'string' && events.includes(event)
  return Array.isArray(events) && events.some((listed) => pythonEquals(listed, event))
}

/** The texts of `deliver_extra` are templates; everything else in it stays as it is. */
function renderExtra(
  world: GatewayWorld,
  extra: JsonObject,
  given: Context,
): JsonObject | undefined {
  const isDumped = hasQuirk(world, 'webhooks.empty-extra')
  const context = isDumped ? Object.assign({}, given, { event: '', route: '' }) : given
  const rendered = new Map<string, Json>()
  for (const [name, value] of extra) {
    const isTemplate = typeof value === 'string' && (value !== '' || isDumped)
    const text = isTemplate ? render(value, context) : value
    if (text === undefined) return undefined
    rendered.set(name, text)
  }
  return rendered
}

const makeId = (world: GatewayWorld): string =>
  hasQuirk(world, 'webhooks.millisecond-ids') ? `${timeMs(world)}` : drawUuid(world.state.random)

/** A direct delivery contains the text literally, whatever skills the route names [deliveries/direct-is-literal]. */
function runMessage(world: GatewayWorld, { skills }: Route, text: string): string {
  const [skill] = skills
  const isReplaced = skill !== undefined && hasQuirk(world, 'webhooks.skill-replaces-message')
  return isReplaced ? `[Skill: ${skill}]\n\n${text}` : text
}
