// Deliveries: attempts, what becomes of them, further ones, and the scripted failures of the outbox.

import { logTarget, originTarget, plainText, retries } from '../../spec/gateway/deliveries.ts'
import { limits } from '../../spec/limits.ts'
import type { Reply } from '../http/replies.ts'
import { answer } from './answers.ts'
import { plan } from './schedule.ts'
import type { Delivery, ScriptedFailure } from './machine.ts'
import { type Attempt, log, nextSerial, type Place, type Receiver, timeMs } from './state.ts'
import { hasQuirk } from './state.ts'
import { forget } from './delivery-ids.ts'

/** The errors of what others took too long for. */
export const timeOuts = { run: 'the agent timed out', delivery: 'timed out' } as const

/** Delivers a text to a place. What comes of it is told by effects: at once, or when its end is told by an input. */
export function deliver(
  receiver: Receiver,
  { fault, ...place }: Place,
  told: Pick<Delivery, 'text' | 'route' | 'event' | 'delivery_id'>,
  ending: Attempt['ending'],
): void {
  const delivery: Delivery = { ...place, ...told, attempt: 1 }
  const id = nextSerial(receiver)
  receiver.attempts.set(id, { delivery, ending, fault: fault ?? null, row: null })
  attempt(receiver, id)
}

/**
 * Lets the repeat of a post wait for the direct delivery that is under way with its id, and tells whether there is one:
 * only its end shows whether the sender has to try again [webhooks/repeat-waits].
 */
export function joins(
  receiver: Receiver,
  route: string,
  delivery_id: string,
  request: number,
): boolean {
  if (hasQuirk(receiver, 'webhooks.duplicate-after-502')) return false
  const isAnyRoute = hasQuirk(receiver, 'webhooks.global-ids')
  for (const [id, one] of receiver.attempts) {
    const { delivery, ending } = one
    if (ending.kind !== 'direct' || delivery.delivery_id !== delivery_id) continue
    if (delivery.route !== route && !isAnyRoute) continue
    const repeats = [...ending.repeats, request]
    receiver.attempts.set(id, { ...one, ending: { ...ending, repeats } })
    return true
  }
  return false
}

/** Makes the attempt of this number now. */
export function attempt(receiver: Receiver, id: number): void {
  const one = receiver.attempts.get(id)
  if (one === undefined) return
  const { delivery, fault } = one
  if (fault !== null) endAttempt(receiver, id, fault)
  else if (delivery.target === logTarget) {
    log(
      receiver,
      'info',
      `Answer of ${delivery.route}: ${beginning(delivery.text, limits.logText.value)}`,
    )
    endAttempt(receiver, id, null)
  } else if (receiver.options.sends && delivery.target !== originTarget) {
    receiver.effects.push({ kind: 'deliver', id, delivery })
    plan(receiver, limits.senderTimeOut.value * 1000, { kind: 'sender-time-out', attempt: id })
  } else endAttempt(receiver, id, scriptedError(receiver, delivery.target))
}

/** The error that the script has for a delivery into the outbox; null where it succeeds. */
function scriptedError(receiver: Receiver, target: string): string | null {
  const at = receiver.failures.findIndex((one) => one.target === target || one.target === '*')
  const found = receiver.failures[at]
  if (found === undefined) return null
  const left = found.times === null ? null : found.times - 1
  receiver.failures =
    left === 0
      ? receiver.failures.toSpliced(at, 1)
      : receiver.failures.with(at, { ...found, times: left })
  return found.error
}

/** Lets deliveries of a target fail from now on; what was said of it before holds no longer. */
export function scriptFailure(receiver: Receiver, { target, error, times }: ScriptedFailure): void {
  const others = receiver.failures.filter((one) => one.target !== target)
  receiver.failures = times === 0 ? others : [...others, { target, error, times }]
}

/** An attempt is over: with an error, or well. */
export function endAttempt(receiver: Receiver, id: number, error: string | null): void {
  const one = receiver.attempts.get(id)
  if (one === undefined) return
  receiver.attempts.delete(id)
  const { delivery, ending } = one
  const status = error === null ? 'delivered' : 'failed'
  receiver.effects.push({
    kind: 'outbox',
    id,
    entry: { ...delivery, status, error, timestamp: timeMs(receiver) },
  })
  if (error !== null) {
    const { route, delivery_id, target } = delivery
    log(receiver, 'error', `Delivery ${delivery_id} of ${route} to ${target} failed: ${error}`)
  }
  if (ending.kind === 'direct') answerDirect(receiver, delivery, ending, error)
  else if (error !== null) retry(receiver, one, error)
}

function answerDirect(
  receiver: Receiver,
  { route, delivery_id }: Delivery,
  { request, deliver, repeats }: Extract<Attempt['ending'], { kind: 'direct' }>,
  error: string | null,
): void {
  // A sender that tries again is to be heard [webhooks/id-forgotten].
  if (error !== null && !hasQuirk(receiver, 'webhooks.duplicate-after-502')) {
    forget(receiver, route, delivery_id)
  }
  const failed = error === null ? undefined : answer('deliveryFailed', { delivery_id })
  const reply = (to: number, { status, headers, body }: Reply): void => {
    receiver.effects.push({ kind: 'reply', request: to, status, headers, body: body as string })
  }
  reply(request, failed ?? answer('delivered', { name: route, deliver, delivery_id }))
  for (const repeat of repeats) reply(repeat, failed ?? answer('duplicate', { delivery_id }))
}

/** The row of the table of retries that an error is about. */
function rowOf(error: string): number {
  const text = error.toLowerCase()
  return retries.findIndex(({ contains }) => contains.some((part) => text.includes(part)))
}

function retry(receiver: Receiver, failed: Attempt, error: string): void {
  const { delivery } = failed
  // What timed out could have arrived: it is never tried again, whatever came before.
  const isOver = retries[rowOf(error)]?.afterMs.length === 0
  const row = failed.row ?? rowOf(error)
  const rule = retries[row]
  const waits: readonly number[] = rule?.afterMs ?? []
  const waitMs = waits[delivery.attempt - 1]
  if (isOver || rule === undefined || waitMs === undefined) return
  const text = 'as' in rule ? asPlain(delivery.text) : delivery.text
  const again = { ...failed, row, delivery: { ...delivery, text, attempt: delivery.attempt + 1 } }
  const id = nextSerial(receiver)
  receiver.attempts.set(id, again)
  if (waitMs === 0) attempt(receiver, id)
  else plan(receiver, waitMs, { kind: 'attempt', attempt: id })
}

const asPlain = (text: string): string =>
  plainText.replace('{answer}', () => beginning(text, limits.plainAnswer.value))

/** So many characters of a text; one outside the basic plane is one. */
const beginning = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : Array.from(text.slice(0, 2 * characters))
        .slice(0, characters)
        .join('')
