// What is wrong with a gateway that goes on: `/health` lists it [operations/degraded].

import { limits } from '../../../spec/limits.ts'
import type { GatewayEffect } from './inputs.ts'
import type { GatewayState } from './state.ts'

/**
 * Notes what is wrong, or with null that it no longer is.
 * @param about what it is about: a later one replaces it.
 * @param problem a sentence without secrets.
 */
export function setProblem(
  { problems }: Pick<GatewayState, 'problems'>,
  about: string,
  problem: string | null,
): void {
  if (problem === null) problems.delete(about)
  else problems.set(about, problem)
}

/**
 * Notes the attempts among the effects of a step [operations/degraded-target]. */
export function noteFailures(
  { failures, nowMs }: GatewayState,
  effects: readonly GatewayEffect[],
): void {
  for (const effect of effects) {
    if (effect.kind !== 'outbox') continue
    const { target, status } = effect.entry
    const count = failures.get(target)?.count ?? 0
    if (status === 'failed') failures.set(target, { count: count + 1, atMs: nowMs })
    else if (count > 0) failures.delete(target)
  }
}

const failingMs = limits.failingTime.value * 1000

/** All that is wrong now. */
export function problemsOf({ problems, failures, nowMs }: GatewayState): readonly string[] {
  const found = [...problems.values()]
  for (const [target, { count, atMs }] of failures) {
    if (count < limits.failingAttempts.value || nowMs - atMs > failingMs) continue
    found.push(`Deliveries to ${target} fail: the last ${count} attempts did.`)
  }
  return found
}
