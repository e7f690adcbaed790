// The scripted failures and delays of the outbox, from scenarios and from tests.

import type { GatewayScript } from '../../../spec/scenario/gateway.ts'
import type { DeliveryFailure, FailureFacts, ScriptedFailure } from '../state/inputs.ts'
import type { DeliveryScript, GatewayWorld } from '../state/state.ts'

/** Takes the script for a delivery to the outbox; undefined if it succeeds immediately. */
export function takeScript({ state }: GatewayWorld, target: string): DeliveryScript | undefined {
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
    const text = error ?? `${target} answered ${facts.status}`
    return { target, failure: failureOf(isFailure ? text : null, facts), delayMs, times }
  })

/** Makes deliveries of a target fail; replaces earlier scripts for it. */
export function scriptFailure(
  { state }: GatewayWorld,
  { target, error, times, ...facts }: ScriptedFailure,
): void {
  const others = state.deliveryScripts.filter((one) => one.target !== target)
  const failure = failureOf(error, facts)
  state.deliveryScripts = times === 0 ? others : [...others, { target, failure, delayMs: 0, times }]
}

/** A failure with this text, and what else is known of it; null without a text. */
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
