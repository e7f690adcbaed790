// Deliveries: the attempts for each part of a text, their results, and what follows them.

import {
  logTarget,
  notices,
  originTarget,
  plainText,
  type Sender,
  senders,
} from '../../spec/gateway/deliveries.ts'
import { limits } from '../../spec/limits.ts'
import { get, put, remove } from '../lib/bounded.ts'
import { cancelTimer } from '../lib/timers.ts'
import { answer, replyEffect } from './answers.ts'
import { keyOfPart } from './deliveries/keys.ts'
import {
  type FailedAttempt,
  isRefused,
  type NextAttempt,
  nextAtReference,
  nextAttempt,
} from './deliveries/retries.ts'
import { takeScript } from './deliveries/scripts.ts'
import { splitText } from './deliveries/split-text.ts'
import { log } from './log.ts'
import { forget } from './state/delivery-ids.ts'
import type { Destination, Progress } from './state/facts.ts'
import type { DeliveryFailure } from './state/inputs.ts'
import { keep, keeps, noteFact } from './state/keep.ts'
import type { AttemptOutcome, Delivery } from './state/run.ts'
import {
  type Attempt,
  type DeliveryScript,
  type GatewayWorld,
  hasQuirk,
  type Message,
  nextSerial,
  timeMs,
} from './state/state.ts'
import { plan } from './state/timers.ts'

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
  progress?: Progress,
): void {
  const place = { target, chat_id, thread_id, deliver_extra }
  const longest = longestText(world, target)
  const texts = longest === undefined ? [message.text] : splitText(message.text, longest)
  const count = ending.kind === 'direct' ? takeConfirmed(world, message, texts) : 0
  // In journals the members of the message stand in the order of the caller.
  const first = { part: 1, parts: texts.length, attempt: 1 }
  const delivery: Delivery = Object.assign(place, message, first)
  const of = { delivery, texts, ending, fault, isPlain: false }
  begin(world, of, progress ?? firstOf(count + 1))
}

/** The first attempt for a part. */
const firstOf = (part: number): Progress => ({ part, attempt: 1, isPlain: false, nextMs: 0 })

/** Makes an attempt for a part of a text, the first or a later one, when it is due. */
function begin(world: GatewayWorld, of: Attempt, progress: Progress): void {
  const { part, attempt: number, isPlain, nextMs } = progress
  const id = nextSerial(world)
  const whole = of.texts[part - 1] as string
  const text = isPlain ? asPlain(whole, longestText(world, of.delivery.target)) : whole
  const key = keyOfPart(of.delivery.key, part)
  const delivery = Object.assign({}, of.delivery, { key, text, part, attempt: number })
  world.state.attempts.set(id, Object.assign({}, of, { delivery, isPlain }))
  const waitMs = nextMs - timeMs(world)
  if (waitMs > 0) plan(world, waitMs, { kind: 'attempt', attempt: id })
  else attempt(world, id)
}

/** The longest text that a target takes, if its texts are sent in parts [deliveries/parts]. */
function longestText({ setup }: GatewayWorld, target: string): number | undefined {
  if (!setup.options.isSplit || !Object.hasOwn(senders, target)) return undefined
  return (senders as Readonly<Record<string, Sender>>)[target]?.longestText
}

const postKey = ({ route, delivery_id }: Pick<Delivery, 'route' | 'delivery_id'>): string =>
  `${route}\n${delivery_id}`

/** How many parts of a direct delivery its target has from an earlier post with its id [deliveries/parts-confirmed]. */
function takeConfirmed(
  { state: { confirmed } }: GatewayWorld,
  message: Message,
  texts: readonly string[],
): number {
  const key = postKey(message)
  const found = get(confirmed, key)
  if (found === undefined) return 0
  remove(confirmed, key)
  const isSame =
    found.texts.length === texts.length && found.texts.every((one, at) => one === texts[at])
  return isSame ? found.count : 0
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
      { route: delivery.route, event: delivery.event, delivery_id: delivery.delivery_id },
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
  const failed = failure === null ? null : failedOf(world, one, failure)
  const next = failed === null ? null : nextOf(world, one, failed)
  const outcome = outcomeOf(one, failure, next)
  report(world, id, one, { failure, next, outcome })
  noteEnd(world, one, { failure, next, outcome })
  if (outcome === 'confirmed') begin(world, one, firstOf(one.delivery.part + 1))
  else if (next !== null) retry(world, one, next)
  else if (one.ending.kind === 'direct') answerDirect(world, one, one.ending, failed !== null)
  else if (outcome === 'dead' && failed !== null) notify(world, one, failed)
}

const failedOf = (
  { setup }: GatewayWorld,
  { delivery, isPlain }: Attempt,
  failure: DeliveryFailure,
): FailedAttempt => {
  return { attempt: delivery.attempt, isPlain, failure, isKeyed: setup.options.isKeyed }
}

/** What follows a failed attempt. A direct delivery is tried once: its sender is notified [deliveries/direct-once]. */
function nextOf(world: GatewayWorld, { ending }: Attempt, failed: FailedAttempt): NextAttempt {
  if (ending.kind !== 'answer') return null
  return hasQuirk(world, 'webhooks.short-retries')
    ? nextAtReference(failed)
    : nextAttempt(failed, world.state.random)
}

function outcomeOf(
  { delivery, texts, ending }: Attempt,
  failure: DeliveryFailure | null,
  next: NextAttempt,
): AttemptOutcome {
  if (ending.kind === 'notice') return 'noticed'
  if (failure === null) return delivery.part < texts.length ? 'confirmed' : 'delivered'
  if (next !== null) return 'retried'
  return ending.kind === 'direct' ? 'failed' : 'dead'
}

/** Sends a notice if the target refused the answer itself, and may take another text [deliveries/dead-notice]. */
function notify(world: GatewayWorld, one: Attempt, failed: FailedAttempt): void {
  const isOver = one.fault !== null || hasQuirk(world, 'webhooks.short-retries')
  if (isOver || !isRefused(failed)) return
  const reason = failed.failure.error.slice(0, limits.noticeReason.value)
  const texts = [notices.refused.replace('{reason}', () => reason)]
  const delivery = Object.assign({}, one.delivery, { parts: 1 })
  begin(
    world,
    { delivery, texts, ending: { kind: 'notice' }, fault: null, isPlain: false },
    firstOf(1),
  )
}

type AttemptEnd = {
  readonly failure: DeliveryFailure | null
  readonly next: NextAttempt
  readonly outcome: AttemptOutcome
}

/** Reports the end of an attempt to observers. */
function report(
  world: GatewayWorld,
  id: number,
  { delivery, ending }: Attempt,
  { failure, next, outcome }: AttemptEnd,
): void {
  const error = failure?.error ?? null
  const status = error === null ? 'delivered' : 'failed'
  world.effects.push({
    kind: 'outbox',
    id,
    // In the order of Delivery; a leading spread is slow.
    entry: Object.assign({}, delivery, { status, error, timestamp: timeMs(world) } as const),
    runId: ending.kind === 'answer' ? ending.run : null,
    outcome,
    nextMs: next === null ? null : timeMs(world) + next.afterMs,
  })
}

/** Keeps what the end of an attempt means for an answer. */
function noteEnd(
  world: GatewayWorld,
  { delivery, ending }: Attempt,
  { failure, next, outcome }: AttemptEnd,
): void {
  if (ending.kind !== 'answer') return
  const { key } = ending
  const { part, attempt: number } = delivery
  const error = failure?.error ?? null
  if (outcome === 'delivered' || outcome === 'dead')
    noteFact(world, { kind: 'ended', key, state: outcome, error })
  else if (outcome === 'confirmed')
    noteFact(world, { kind: 'attempt', key, progress: firstOf(part + 1), error })
  else if (next !== null) {
    const { isPlain, afterMs } = next
    const progress = { part, attempt: number + 1, isPlain, nextMs: timeMs(world) + afterMs }
    noteFact(world, { kind: 'attempt', key, progress, error })
  }
}

function answerDirect(
  world: GatewayWorld,
  { delivery, texts }: Attempt,
  { request, deliver, repeats }: Extract<Attempt['ending'], { kind: 'direct' }>,
  isFailure: boolean,
): void {
  const { route, delivery_id, part } = delivery
  // A retry by the sender counts as new [webhooks/id-forgotten].
  if (isFailure && !hasQuirk(world, 'webhooks.duplicate-after-502')) {
    forget(world, route, delivery_id)
    noteFact(world, { kind: 'forgotten', route, delivery_id })
    if (part > 1) put(world.state.confirmed, postKey(delivery), { count: part - 1, texts })
  }
  const isPython = hasQuirk(world, 'webhooks.python-json')
  const failed = isFailure ? answer('deliveryFailed', { delivery_id }, isPython) : undefined
  const delivered = answer('delivered', { name: route, deliver, delivery_id }, isPython)
  const replies = [
    replyEffect(request, failed ?? delivered),
    ...repeats.map((one) =>
      replyEffect(one, failed ?? answer('duplicate', { delivery_id }, isPython)),
    ),
  ]
  if (!isFailure && keeps(world))
    keep(world, [{ kind: 'confirmed', route, delivery_id }], {
      kind: 'replies',
      route,
      delivery_id,
      replies,
    })
  else world.effects.push(...replies)
}

/** Makes the attempt that follows a failed one. */
function retry(
  world: GatewayWorld,
  failed: Attempt,
  { afterMs, isPlain }: NonNullable<NextAttempt>,
): void {
  const { delivery } = failed
  const isFirstPlain = isPlain && !failed.isPlain
  const text = isFirstPlain
    ? asPlain(delivery.text, longestText(world, delivery.target))
    : delivery.text
  const next = Object.assign({}, delivery, { text, attempt: delivery.attempt + 1 })
  const id = nextSerial(world)
  world.state.attempts.set(id, Object.assign({}, failed, { isPlain, delivery: next }))
  if (afterMs === 0) attempt(world, id)
  else plan(world, afterMs, { kind: 'attempt', attempt: id })
}

const [plainStart = ''] = plainText.split('{answer}')

/** A text as plain text, cut to what its target takes: a part of it is almost that long already. */
const asPlain = (text: string, longest: number | undefined): string =>
  plainStart +
  (longest === undefined
    ? beginning(text, limits.plainAnswer.value)
    : text.slice(0, longest - plainStart.length).replace(/[\ud800-\udbff]$/, ''))

/** The first characters of a text, counted by code points. */
const beginning = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : Array.from(text.slice(0, 2 * characters))
        .slice(0, characters)
        .join('')
