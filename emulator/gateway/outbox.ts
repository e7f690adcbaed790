// Deliveries: attempts, their results, retries, and the scripted failures of the outbox.

import { logTarget, originTarget, plainText } from '../../spec/gateway/deliveries.ts'
import { limits } from '../../spec/limits.ts'
import { cancelTimer } from '../lib/timers.ts'
import type { Reply } from '../http/replies.ts'
import { answer } from './answers.ts'
import { plan } from './state/timers.ts'
import type { GatewayScript } from '../../spec/scenario/gateway.ts'
import type { Delivery, DeliveryFailure, FailureFacts, ScriptedFailure } from './state/inputs.ts'
import { nextAtReference, nextAttempt } from './deliveries/retries.ts'
import {
  type Attempt,
  type DeliveryScript,
  type Destination,
  type GatewayWorld,
  hasQuirk,
  nextSerial,
  timeMs,
} from './state/state.ts'
import { log } from './log.ts'
import { forget } from './state/delivery-ids.ts'

/** A text to be delivered, with the post that it comes from. */
type Message = Pick<Delivery, 'key' | 'route' | 'event' | 'delivery_id' | 'text'>

/** The errors for external work that times out. */
export const timeOuts = { run: 'the agent timed out', delivery: 'timed out' } as const

/**
 * Delivers a text to its destination, unless a fault prevents it. The effects follow immediately, or when an input reports
 * the end of the attempt.
 */
export function deliver(
  world: GatewayWorld,
  { target, chat_id, thread_id, deliver_extra, fault }: Destination,
  message: Message,
  ending: Attempt['ending'],
): void {
  const id = nextSerial(world)
  const place = { target, chat_id, thread_id, deliver_extra }
  // In journals the members of the message stand in the order of the caller.
  const delivery: Delivery = Object.assign(place, message, { attempt: 1 })
  world.state.attempts.set(id, { delivery, ending, fault, isPlain: false })
  attempt(world, id)
}

/**
 * Makes the repeat of a post wait for the direct delivery in progress with its id; returns whether there is one. Only
 * the end of that delivery decides whether the sender must retry [webhooks/repeat-waits].
 */
export function joins(
  world: GatewayWorld,
  route: string,
  delivery_id: string,
  request: number,
): boolean {
  if (hasQuirk(world, 'webhooks.duplicate-after-502')) return false
  const isAnyRoute = hasQuirk(world, 'webhooks.global-ids')
  for (const [id, one] of world.state.attempts) {
    const { delivery, ending } = one
    if (ending.kind !== 'direct' || delivery.delivery_id !== delivery_id) continue
    if (delivery.route !== route && !isAnyRoute) continue
    const repeats = [...ending.repeats, request]
    const awaited = Object.assign({}, ending, { repeats })
    world.state.attempts.set(id, Object.assign({}, one, { ending: awaited }))
    return true
  }
  return false
}

/** Makes the attempt of this number. */
export function attempt(world: GatewayWorld, id: number): void {
  const one = world.state.attempts.get(id)
  if (one === undefined) return
  const { delivery, fault } = one
  if (fault !== null) endAttempt(world, id, { error: fault })
  else if (delivery.target === logTarget) {
    log(
      world,
      'info',
      `Answer of ${delivery.route}: ${beginning(delivery.text, limits.logText.value)}`,
    )
    endAttempt(world, id, null)
  } else if (world.setup.options.sends && delivery.target !== originTarget) {
    world.effects.push({ kind: 'deliver', id, delivery })
    const timeOut = { kind: 'sender-time-out', attempt: id } as const
    world.state.sending.set(id, plan(world, senderTimeOutMs, timeOut))
  } else record(world, id, takeScript(world, delivery.target))
}

const senderTimeOutMs = limits.senderTimeOut.value * 1000

/** Ends an attempt in the outbox as its script says; one that takes too long times out [scenario/delivery-delays]. */
function record(world: GatewayWorld, id: number, script: DeliveryScript | undefined): void {
  const { failure = null, delayMs = 0 } = script ?? {}
  if (delayMs === 0) return endAttempt(world, id, failure)
  const isLate = delayMs > senderTimeOutMs
  plan(world, Math.min(delayMs, senderTimeOutMs), {
    kind: 'delivered',
    attempt: id,
    failure: isLate ? { error: timeOuts.delivery } : failure,
  })
}

/** Takes the script for a delivery to the outbox; undefined if it succeeds immediately. */
function takeScript({ state }: GatewayWorld, target: string): DeliveryScript | undefined {
  const { deliveryScripts: all } = state
  const at = all.findIndex((one) => one.target === target || one.target === '*')
  const found = all[at]
  if (found === undefined || found.times === null) return found
  const { failure, delayMs, times } = found
  state.deliveryScripts =
    times === 1
      ? all.toSpliced(at, 1)
      : all.with(at, { target: found.target, failure, delayMs, times: times - 1 })
  return found
}

/** The delivery rules of a scenario, as scripts. */
export const deliveryScriptsOf = ({ deliveries = [] }: GatewayScript): DeliveryScript[] =>
  deliveries.map(({ target = '*', error, delayMs = 0, times = null, ...facts }) => {
    const isFailure = error !== undefined || facts.status !== undefined
    const failure = isFailure
      ? failureOf(error ?? `${target} answered ${facts.status}`, facts)
      : null
    return { target, failure, delayMs, times }
  })

/** A failure with this text, if any, and what else is known of it. */
export function failureOf(error: string, { status, retryAfterMs }: FailureFacts): DeliveryFailure
export function failureOf(error: string | null, facts: FailureFacts): DeliveryFailure | null
export function failureOf(
  error: string | null,
  { status, retryAfterMs }: FailureFacts,
): DeliveryFailure | null {
  if (error === null) return null
  return {
    error,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** Makes deliveries of a target fail; replaces earlier scripts for it. */
export function scriptFailure(
  { state }: GatewayWorld,
  { target, error, times, ...facts }: ScriptedFailure,
): void {
  const others = state.deliveryScripts.filter((one) => one.target !== target)
  const failure = failureOf(error, facts)
  state.deliveryScripts = times === 0 ? others : [...others, { target, failure, delayMs: 0, times }]
}

/** Ends an attempt: with a failure, or successfully. */
export function endAttempt(world: GatewayWorld, id: number, failure: DeliveryFailure | null): void {
  const one = world.state.attempts.get(id)
  if (one === undefined) return
  world.state.attempts.delete(id)
  const timeOut = world.state.sending.get(id)
  if (timeOut !== undefined) {
    cancelTimer(world.state.timers, timeOut)
    world.state.sending.delete(id)
  }
  const { delivery, ending } = one
  const error = failure?.error ?? null
  const status = error === null ? 'delivered' : 'failed'
  world.effects.push({
    kind: 'outbox',
    id,
    // In the order of Delivery; a leading spread is slow.
    entry: Object.assign({}, delivery, { status, error, timestamp: timeMs(world) } as const),
  })
  if (ending.kind === 'direct') answerDirect(world, delivery, ending, error)
  else if (failure !== null) retry(world, one, failure)
}

function answerDirect(
  world: GatewayWorld,
  { route, delivery_id }: Delivery,
  { request, deliver, repeats }: Extract<Attempt['ending'], { kind: 'direct' }>,
  error: string | null,
): void {
  // A retry by the sender counts as new [webhooks/id-forgotten].
  if (error !== null && !hasQuirk(world, 'webhooks.duplicate-after-502')) {
    forget(world, route, delivery_id)
  }
  const isPython = hasQuirk(world, 'webhooks.python-json')
  const failed = error === null ? undefined : answer('deliveryFailed', { delivery_id }, isPython)
  const reply = (to: number, { status, headers, body }: Reply): void => {
    world.effects.push({ kind: 'reply', request: to, status, headers, body: body as string })
  }
  reply(request, failed ?? answer('delivered', { name: route, deliver, delivery_id }, isPython))
  for (const repeat of repeats)
    reply(repeat, failed ?? answer('duplicate', { delivery_id }, isPython))
}

/** Makes the attempt that follows a failed one, if any does. */
function retry(world: GatewayWorld, failed: Attempt, failure: DeliveryFailure): void {
  const { delivery } = failed
  const { attempt: number, text } = delivery
  const { isKeyed } = world.setup.options
  const of = { attempt: number, isPlain: failed.isPlain, failure, isKeyed }
  const following = hasQuirk(world, 'webhooks.short-retries')
    ? nextAtReference(of)
    : nextAttempt(of, world.state.random)
  if (following === null) return
  const { afterMs, isPlain } = following
  const isFirstPlain = isPlain && !failed.isPlain
  const next = Object.assign({}, delivery, {
    text: isFirstPlain ? asPlain(text) : text,
    attempt: number + 1,
  })
  const id = nextSerial(world)
  world.state.attempts.set(id, Object.assign({}, failed, { isPlain, delivery: next }))
  if (afterMs === 0) attempt(world, id)
  else plan(world, afterMs, { kind: 'attempt', attempt: id })
}

const asPlain = (text: string): string =>
  plainText.replace('{answer}', () => beginning(text, limits.plainAnswer.value))

/** The first characters of a text, counted by code points. */
const beginning = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : Array.from(text.slice(0, 2 * characters))
        .slice(0, characters)
        .join('')
