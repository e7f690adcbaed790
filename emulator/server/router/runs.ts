// POST of a model, which waits for the output, and the estimate of a call [router-runs/*].

import { CREDITS_PER_USD } from '../../../spec/accounts/billing.ts'
import type { routerEstimate } from '../../../spec/router/router-runs.ts'
import type { Static } from '../../../spec/static.ts'
import { heldReply, json, refuseRouter, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { timestamp } from '../world/derived.ts'
import { planCall, readInput, refuseProvider } from './arrivals.ts'
import { addCall, slotsOf } from './calls.ts'
import { type Model, modelOf } from './catalog.ts'
import { answerUsed, digestOf, readKey, useKey } from './keys.ts'
import { routerOf } from './state.ts'

/** POST /v2/models/{provider}/{model}: the reply comes when the call is over. */
export function run(world: HostedWorld, request: Request, id: number): Reply {
  const model = modelOf(world, request)
  if ('refusal' in model) return model.refusal
  const key = readKey(request)
  if (key !== null && typeof key === 'object') return key.refusal
  const digest = key === null ? '' : digestOf(world, request)
  const used = key === null ? undefined : answerUsed(world, key, digest)
  if (used !== undefined) return used
  const wrong = refuseProvider(model, request)
  if (wrong !== undefined) return wrong
  const read = readInput(model, request)
  if ('refusal' in read) return read.refusal
  const { running, held } = routerOf(world)
  const limit = slotsOf(world)
  if (running.size >= limit) return refuseRouter('tooManyCalls', { limit: `${limit}` })
  const call = planCall(world, model, request, { input: read.input, isRun: true, key })
  if ('refusal' in call) return call.refusal
  if (key !== null) useKey(world, key, digest, call.id)
  held.set(call.id, id)
  addCall(world, call)
  return heldReply
}

/** POST /v2/models/{provider}/{model}/estimate. */
export function estimate(world: World, request: Request): Reply {
  const model = modelOf(world, request)
  if ('refusal' in model) return model.refusal
  const read = readInput(model, request)
  return 'refusal' in read ? read.refusal : json(JSON.stringify(estimateOf(world, model)))
}

/** What a call of a model would cost, in dollars and in credits. */
export function estimateOf(world: World, { id, price }: Model): Static<typeof routerEstimate> {
  const [provider = '', model = ''] = id.split('/')
  const pricing_as_of = new Date(timestamp(world)).toISOString()
  const own = { currency: 'USD', provider, model, pricing_as_of } as const
  if (price === undefined) return { source: 'unknown', ...own, reason: 'The model has no price.' }
  const dollars = price / CREDITS_PER_USD
  return {
    source: 'exact',
    ...own,
    amount: decimal(dollars),
    amount_cents: Number((dollars * 100).toFixed(4)),
    credits: price,
  }
}

/** An amount with up to 8 decimals, and no zeros at its end. */
const decimal = (amount: number): string => amount.toFixed(8).replace(/\.?0+$/, '')
