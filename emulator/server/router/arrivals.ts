// Calls that arrive, run or queued: checks them, and decides what they will give.

import { providers } from '../../../spec/router/router-runs.ts'
import type { ModelRule } from '../../../spec/scenario/models.ts'
import { readJson } from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { refuseRouter, type Reply } from '../../http/replies.ts'
import { bodyText, parameter, type Request } from '../../http/requests.ts'
import type { CallPlan, RouterCall } from '../state/router.ts'
import type { HostedWorld } from '../state/world.ts'
import { creditsText, openPrice } from './calls.ts'
import type { Model } from './catalog.ts'
import { bucketOf, failureReply, isLate, refuseFields } from './failures.ts'
import { originOf } from './links.ts'
import { filled, isMembers } from './output.ts'
import { ruleFor } from './script.ts'
import { routerOf } from './state.ts'
import { fieldErrors } from './validate.ts'

/** An input that fits its model, or the refusal. */
export type ReadInput = { readonly input: object } | { readonly refusal: Reply }

const USUAL_MS = 200

/** Reads the input of a call [router-runs/bad-body, router-runs/fields]. */
export function readInput(model: Model, request: Request): ReadInput {
  const input = jsonIn(request)
  if (input === undefined)
    return { refusal: refuseRouter('invalidInput', { reason: 'The body is not valid JSON.' }) }
  if (!isMembers(input)) return { refusal: refuseRouter('notAnObject') }
  // The schema is that of the usual provider.
  if (isStrict(request)) return { input }
  const isClosed = parameter(request.query, 'reject_unknown_fields') === 'true'
  const errors = fieldErrors(model.input, input, isClosed)
  return errors.length === 0 ? { input } : { refusal: refuseFields(errors) }
}

/** The JSON of a body; undefined if it is none, or deeper than the server reads. */
function jsonIn(request: Request): unknown {
  try {
    const text = bodyText(request)
    readJson(text)
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The provider that a call names, if that is another than the usual one. */
function otherProvider({ query }: Pick<Request, 'query'>): string | undefined {
  const named = parameter(query, 'model_provider')
  return named === undefined || providers.usual.some((one) => one === named) ? undefined : named
}

/** Whether a call speaks to another provider in the words of that one [router-runs/strict]. */
const isStrict = (request: Pick<Request, 'query'>): boolean =>
  otherProvider(request) !== undefined && parameter(request.query, 'strict_mode') === 'true'

/** The refusal of a provider that does not serve a model [router-runs/provider]; undefined if it does. */
export function refuseProvider(
  { id, providers: own = [] }: Model,
  request: Pick<Request, 'query'>,
): Reply | undefined {
  const named = otherProvider(request)
  if (named === undefined || own.includes(named)) return undefined
  const isKnown = providers.others.some((one) => one === named)
  const reason = isKnown ? `${named} does not serve ${id}.` : 'The model_provider is unknown.'
  return refuseRouter('invalidInput', { reason })
}

/** A new call with what it will give, or the refusal: by the account, or by a rule of the scenario. */
export function planCall(
  world: HostedWorld,
  model: Model,
  request: Request,
  {
    input,
    isRun,
    key,
  }: { readonly input: object; readonly isRun: boolean; readonly key: string | null },
): RouterCall | { readonly refusal: Reply } {
  const rule = ruleFor(world, { model: model.id, isRun, input })
  const bucket = bucketOf(rule)
  if (bucket !== undefined && !isLate(rule, bucket)) return { refusal: failureReply(rule, bucket) }
  const { price = model.price ?? 0 } = rule
  if (!canPay(world, price))
    return { refusal: refuseRouter('insufficientCredits', { price: creditsText(price) }) }
  const { host, prefix } = originOf(world, request)
  const { nowMs } = world.state
  return {
    id: drawUuid(routerOf(world).random),
    model: model.id,
    isRun,
    plan: planOf(isStrict(request) ? ofProvider(model) : model, rule, { price, input, isRun }),
    key,
    host,
    prefix,
    createdMs: nowMs,
    readyMs: nowMs + (isRun ? 0 : (rule.waitMs ?? 0)),
    startedMs: null,
    endedMs: null,
    timer: null,
    result: null,
    error: null,
  }
}

function canPay(world: HostedWorld, price: number): boolean {
  const { account } = world.setup.hosted
  return account.subscription === 'active' && world.state.balance - openPrice(world) >= price
}

/** A model with the output of another provider. */
const ofProvider = (model: Model): Model =>
  Object.assign({}, model, { output: model.providerOutput ?? model.output })

function planOf(
  model: Model,
  rule: ModelRule,
  {
    price,
    input,
    isRun,
  }: { readonly price: number; readonly input: object; readonly isRun: boolean },
): CallPlan {
  const usualMs = model.durationMs ?? USUAL_MS
  // A run has no queue to wait in.
  const waitMs = isRun ? (rule.waitMs ?? 0) : 0
  const durationMs = rule.neverEnds ? null : waitMs + (rule.durationMs ?? usualMs)
  const isFile = rule.output === undefined && model.bytes !== undefined
  return {
    rule,
    durationMs,
    price,
    output: isFile ? undefined : filled(rule.output ?? model.output ?? {}, input),
    bytes: isFile ? model.bytes : undefined,
  }
}
