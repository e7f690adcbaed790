// A post to a route: the checks of the spec in their order, then a direct delivery or an agent run.

import { insecureSecret } from '../../spec/gateway/signatures.ts'
import { isObject, type Json, type JsonObject, writeJson } from '../lib/json.ts'
import { drawUuid } from '../lib/random.ts'
import { refuse, type Reply } from '../http/replies.ts'
import { answer } from './answers.ts'
import { deliveryIdOf, eventOf, finite, parseBody } from './payload.ts'
import type { GatewayInput } from './machine.ts'
import { deliver, joins } from './outbox.ts'
import { countPost } from './rates.ts'
import { hasQuirk, isOpenAllowed, type GatewayState, routeOf, timeMs } from './state.ts'
import type { Route } from './routes.ts'
import { startRun } from './runs.ts'
import { remember } from './delivery-ids.ts'
import { validScheme } from './signatures.ts'
import { placeOf, plainValue } from './targets.ts'
import { type Context, render } from './templates.ts'

type Post = Extract<GatewayInput, { kind: 'request' }>

/** What keeps every post from a route of this name; undefined where nothing does. */
export function refuseRoute(state: GatewayState, name: string): Reply | undefined {
  const route = routeOf(state, name)
  if (route === undefined) return answer('unknownRoute', { name })
  return route.isEnabled ? undefined : answer('routeDisabled', { name })
}

/** What a post is answered; undefined where the answer comes with the end of its delivery. */
export function takePost(state: GatewayState, post: Post, name: string): Reply | undefined {
  const refused = refuseRoute(state, name)
  if (refused !== undefined) return refused
  const route = routeOf(state, name) as Route
  const isTooLarge = post.body.length > state.options.maxBodyBytes
  if (isTooLarge || post.fault === 'tooLarge') return answer('payloadTooLarge')
  if (post.fault !== undefined) return answer('badRequest')
  const isOpen = route.secret === insecureSecret && isOpenAllowed(state.options)
  const isEarlier = hasQuirk(state, 'webhooks.fewer-schemes')
  const scheme = isOpen
    ? undefined
    : validScheme(post, route.secret, timeMs(state), isEarlier, state.hmac)
  if (!isOpen && scheme === undefined) return answer('invalidSignature')
  const { rateLimit } = state.options
  if (!countPost(state.rates, name, rateLimit, state.nowMs)) return answer('rateLimited')
  const crashes = hasQuirk(state, 'webhooks.crash-500')
  const payload = parseBody(post.body, crashes)
  if (!isObject(payload)) return crashes ? refuse('internal') : answer('cannotParse')
  const event = eventOf(post.headers, payload)
  if (!takes(route, event)) return answer('ignored', { event })
  const context = { payload, event, route: name, isCut: hasQuirk(state, 'webhooks.cut-prompt') }
  const text = render(route.prompt, context)
  const extra = renderExtra(route.extra, context)
  if (text === undefined || extra === undefined) return answer('textTooLong')
  const delivery_id = deliveryIdOf(post.headers, payload, scheme) ?? makeId(state)
  if (!remember(state, name, delivery_id))
    return joins(state, name, delivery_id, post.request)
      ? undefined
      : answer('duplicate', { delivery_id })
  const place = placeOf(state, route, extra, payload)
  const eventValue = plainValue(event)
  if (route.isDirect) {
    const literal = messageOf(state, route, text)
    const { request } = post
    const ending = { kind: 'direct', request, deliver: route.deliver, repeats: [] } as const
    deliver(state, place, { route: name, event: eventValue, delivery_id, text: literal }, ending)
    return undefined
  }
  const { skills } = route
  const run = {
    route: name,
    event: eventValue,
    delivery_id,
    prompt: text,
    skills,
    payload: writeJson(finite(payload)),
  }
  startRun(state, run, place)
  return answer('accepted', { name, event, delivery_id })
}

/** Whether the filter of a route lets an event through [webhooks/filter-exact]. */
const takes = ({ events }: Route, event: Json): boolean =>
  events.length === 0 || events.some((listed) => listed === event)

/** The texts of `deliver_extra` are templates; everything else in it stays as it is. */
function renderExtra(extra: JsonObject, context: Context): JsonObject | undefined {
  const rendered = new Map<string, Json>()
  for (const [name, value] of extra) {
    const text = typeof value === 'string' && value !== '' ? render(value, context) : value
    if (text === undefined) return undefined
    rendered.set(name, text)
  }
  return rendered
}

const makeId = (state: GatewayState): string =>
  hasQuirk(state, 'webhooks.millisecond-ids') ? `${timeMs(state)}` : drawUuid(state.random)

/** A direct delivery is literal, whatever skills the route names [deliveries/direct-is-literal]. */
function messageOf(state: GatewayState, { skills }: Route, text: string): string {
  const [skill] = skills
  const isReplaced = skill !== undefined && hasQuirk(state, 'webhooks.skill-replaces-message')
  return isReplaced ? `[Skill: ${skill}]\n\n${text}` : text
}
