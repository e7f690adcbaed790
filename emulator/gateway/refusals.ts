// Refuses posts, and reports what became of each.

import { deliveryIdHeaders, laterIdHeaders } from '../../spec/gateway/webhooks.ts'
import { refuse as refuseAsServer } from '../http/replies.ts'
import type { IncomingRequest } from '../machine.ts'
import { answer, refusalReason, type RefusalName, type TextReply } from './answers.ts'
import { headerIdOf, type HeaderRules } from './post/payload.ts'
import { originOf } from './post/origin.ts'
import type { PostEffect } from './state/inputs.ts'
import { secondsFor } from './state/pace.ts'
import { hasQuirk, type GatewayWorld } from './state/state.ts'

/** The request that a post came with; of one that waited for the store, less is known. */
type Posted = Pick<PostEffect, 'request' | 'from'> &
  Partial<Pick<IncomingRequest, 'bound' | 'address' | 'headers'>>

const earlierIdHeaders = deliveryIdHeaders.filter((name) => !laterIdHeaders.has(name))

/** How the headers of posts are read. */
export const headerRules = (world: GatewayWorld): HeaderRules => ({
  isPython: hasQuirk(world, 'webhooks.python-json'),
  takesEmpty: hasQuirk(world, 'webhooks.empty-id'),
  idHeaders: hasQuirk(world, 'webhooks.fewer-schemes') ? earlierIdHeaders : deliveryIdHeaders,
})

/** Reports the result of a post to observers [webhooks/log]. */
export function report(
  world: GatewayWorld,
  { request, bound, address, headers = {}, from = originOf(address, headers) }: Posted,
  route: string,
  verdict: PostEffect['verdict'],
  reason: string | null,
  event: unknown = null,
  delivery_id: string | null = null,
): void {
  const post = { kind: 'post', request, route, event, delivery_id, verdict, reason } as const
  world.effects.push(Object.assign(post, bound && { bound }, from && { from }))
}

/** @param more details that the reply does not contain. */
export function refuse(
  world: GatewayWorld,
  post: Posted,
  name: string,
  refusal: RefusalName,
  more?: string,
): TextReply {
  const values = { name, seconds: `${retryAfterSeconds(world)}` }
  const reason = refusalReason(refusal, values)
  const verdict = refusal === 'rateLimited' ? 'limited' : 'refused'
  const why = more === undefined ? reason : `${reason}: ${more.trim()}`
  report(world, post, name, verdict, why, null, idOf(world, post))
  return answer(refusal, values, hasQuirk(world, 'webhooks.python-json'))
}

export function crash(world: GatewayWorld, post: Posted, name: string): TextReply {
  report(world, post, name, 'refused', refusalReason('internal', {}), null, idOf(world, post))
  return refuseAsServer('internal') as TextReply
}

/** The id that the headers of a post name. */
const idOf = (world: GatewayWorld, { headers = {} }: Posted): string | null =>
  headerIdOf(headers, headerRules(world)) ?? null

/** In how many seconds the runs that wait now will have had their turn. */
const retryAfterSeconds = ({ state: { pace, waiting } }: GatewayWorld): number =>
  secondsFor(pace, waiting.count)
