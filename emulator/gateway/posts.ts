// Handles a post to a route: the checks of the spec in order, then a direct delivery or an agent run.

import { insecureSecret, type SchemeName } from '../../spec/gateway/signatures.ts'
import { unknownEvent } from '../../spec/gateway/webhooks.ts'
import { isObject, type Json, type JsonObject } from '../lib/json.ts'
import { drawUuid } from '../lib/random.ts'
import { refuse as refuseAsServer, type Reply } from '../http/replies.ts'
import { answer, reasonOf, type RefusalName } from './answers.ts'
import {
  deliveryIdOf,
  eventOf,
  parseBody,
  parseLoosely,
  payloadText,
  undecodable,
} from './payload.ts'
import type { GatewayInput, PostEffect } from './machine.ts'
import { deliver, joins } from './outbox.ts'
import { countPost } from './rates.ts'
import { hasQuirk, isOpenAllowed, type GatewayWorld, timeMs } from './state.ts'
import { routeOf } from './static-routes.ts'
import type { Route } from './routes.ts'
import { hasRoom, runBytes, startRun } from './runs.ts'
import { forget, remember } from './delivery-ids.ts'
import { verify } from './signatures.ts'
import { placeOf, plainValue } from './targets.ts'
import { type Context, render } from './templates.ts'

type Post = Extract<GatewayInput, { kind: 'request' }>

/** Whether a route of this name accepts posts, so that their bodies matter. */
export const takesPosts = (world: GatewayWorld, name: string): boolean =>
  routeOf(world, name)?.isEnabled === true

/** The reply to a post; undefined if it comes with the end of its delivery. */
export function takePost(world: GatewayWorld, post: Post, name: string): Reply | undefined {
  const route = routeOf(world, name)
  if (route === undefined) return refuse(world, post, name, 'unknownRoute')
  if (!route.isEnabled) return refuse(world, post, name, 'routeDisabled')
  const isTooLarge = post.body.length > world.setup.options.maxBodyBytes
  if (isTooLarge || post.fault === 'tooLarge') return refuse(world, post, name, 'payloadTooLarge')
  if (post.fault !== undefined) return refuse(world, post, name, 'badRequest')
  const verified = verifyPost(world, post, route)
  if (typeof verified === 'object') {
    return refuse(world, post, name, 'invalidSignature', verified.fault)
  }
  const { rateLimit } = world.setup.options
  if (!countPost(world.state.rates, name, rateLimit, world.state.nowMs)) {
    return refuse(world, post, name, 'rateLimited')
  }
  const isLoose = hasQuirk(world, 'webhooks.crash-500')
  const payload = isLoose ? parseLoosely(post.body) : parseBody(post.body)
  if (payload === undefined) return refuse(world, post, name, 'cannotParse')
  if (payload === undecodable) return crash(world, post, name)
  const event = eventOf(post.headers, payload)
  if (!isObject(payload)) {
    if (!isLoose) return refuse(world, post, name, 'cannotParse')
    // The reference gateway looks for an event type in any payload, unless a header names it.
    if (event === unknownEvent) return crash(world, post, name)
  }
  const scheme = verified === 'open' ? undefined : verified
  return act(world, post, route, payload, event, scheme)
}

/** Validates the signature of a post: its scheme, `open` if the route accepts any post, or what is wrong. */
function verifyPost(
  world: GatewayWorld,
  post: Post,
  { secret }: Route,
): SchemeName | 'open' | { readonly fault: string } {
  if (secret === insecureSecret && isOpenAllowed(world.setup.options)) return 'open'
  const isEarlier = hasQuirk(world, 'webhooks.fewer-schemes')
  return verify(post, secret, timeMs(world), isEarlier, world.setup.hmac)
}

/** Applies the route to a post with a valid signature and payload. */
function act(
  world: GatewayWorld,
  post: Post,
  route: Route,
  payload: Json,
  event: Json,
  scheme: SchemeName | undefined,
): Reply | undefined {
  const { name } = route
  const shownEvent = plainValue(event)
  if (!takes(route, event)) {
    report(world, post, name, 'ignored', null, shownEvent)
    return answer('ignored', { event })
  }
  const context = { payload, event, route: name, isCut: hasQuirk(world, 'webhooks.cut-prompt') }
  const text = render(route.prompt, context)
  const extra = renderExtra(route.extra, context)
  if (text === undefined || extra === undefined) return refuse(world, post, name, 'textTooLong')
  const takesEmpty = hasQuirk(world, 'webhooks.empty-id')
  const delivery_id = deliveryIdOf(post.headers, payload, scheme, takesEmpty) ?? makeId(world)
  if (!remember(world, name, delivery_id)) {
    report(world, post, name, 'duplicate', null, shownEvent, delivery_id)
    return joins(world, name, delivery_id, post.request)
      ? undefined
      : answer('duplicate', { delivery_id })
  }
  const place = placeOf(world, route, extra, payload)
  if (route.isDirect) {
    report(world, post, name, 'accepted', null, shownEvent, delivery_id)
    const { target, chat_id, thread_id, deliver_extra, fault } = place
    const delivery = {
      target,
      chat_id,
      thread_id,
      deliver_extra,
      route: name,
      event: shownEvent,
      delivery_id,
      text: messageOf(world, route, text),
      attempt: 1,
    }
    const { request } = post
    const ending = { kind: 'direct', request, deliver: route.deliver, repeats: [] } as const
    deliver(world, delivery, fault, ending)
    return undefined
  }
  const run = {
    route: name,
    event: shownEvent,
    delivery_id,
    prompt: text,
    skills: route.skills,
    payload: payloadText(payload),
  }
  if (!hasRoom(world, runBytes(run))) {
    // A retry by the sender is not a repeat.
    forget(world, name, delivery_id)
    return refuse(world, post, name, 'tooManyRuns')
  }
  report(world, post, name, 'accepted', null, shownEvent, delivery_id)
  startRun(world, run, place)
  return answer('accepted', { name, event, delivery_id })
}

/** Reports the result of a post to observers [webhooks/log]. */
function report(
  world: GatewayWorld,
  { request }: Post,
  route: string,
  verdict: PostEffect['verdict'],
  reason: string | null,
  event: unknown = null,
  delivery_id: string | null = null,
): void {
  world.effects.push({ kind: 'post', request, route, event, delivery_id, verdict, reason })
}

/** @param more details that the reply does not contain. */
function refuse(
  world: GatewayWorld,
  post: Post,
  name: string,
  refusal: RefusalName,
  more?: string,
): Reply {
  const values = { name }
  const reason = reasonOf(refusal, values)
  const verdict = refusal === 'rateLimited' ? 'limited' : 'refused'
  report(world, post, name, verdict, more === undefined ? reason : `${reason}: ${more}`)
  return answer(refusal, values)
}

function crash(world: GatewayWorld, post: Post, name: string): Reply {
  report(world, post, name, 'refused', reasonOf('internal', {}))
  return refuseAsServer('internal')
}

/** Whether the filter of a route accepts an event [webhooks/filter-exact]. */
const takes = ({ events }: Route, event: Json): boolean =>
  events.length === 0 || events.some((listed) => listed === event)

/** Renders the texts in `deliver_extra` as templates; everything else stays as it is. */
function renderExtra(extra: JsonObject, context: Context): JsonObject | undefined {
  const rendered = new Map<string, Json>()
  for (const [name, value] of extra) {
    const text = typeof value === 'string' && value !== '' ? render(value, context) : value
    if (text === undefined) return undefined
    rendered.set(name, text)
  }
  return rendered
}

const makeId = (world: GatewayWorld): string =>
  hasQuirk(world, 'webhooks.millisecond-ids') ? `${timeMs(world)}` : drawUuid(world.state.random)

/** A direct delivery contains the text literally, whatever skills the route names [deliveries/direct-is-literal]. */
function messageOf(world: GatewayWorld, { skills }: Route, text: string): string {
  const [skill] = skills
  const isReplaced = skill !== undefined && hasQuirk(world, 'webhooks.skill-replaces-message')
  return isReplaced ? `[Skill: ${skill}]\n\n${text}` : text
}
