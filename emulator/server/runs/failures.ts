// Why runs fail that nothing in their graph makes fail [runs/*-error, runs/scenario-*]: the scenario, and the account.

import { exceptionTypes } from '../../../spec/server/errors.ts'
import { meaningOf } from './exceptions.ts'
import type { Failure } from '../nodes/node.ts'
import type { Run, World } from '../world/world.ts'

/** A failure that a caller plans: it hits each node that fits all that it names. */
export type ScenarioFailure = {
  readonly class_type?: string
  readonly node_id?: string
  /** The account whose runs it is about; those of all when absent, and always on local. */
  readonly user?: string
  /** The accepted run of an account, counted from 1 in the order of submits; each when absent. */
  readonly run?: number
  readonly exception_type: string
  readonly exception_message?: string
}

/** The failure that the scenario has for a node of a run, or undefined [runs/scenario-failures]. */
export function plannedFailure(
  { options, hosted }: World,
  { serial }: Pick<Run, 'serial'>,
  node_id: string,
  class_type: string,
): Failure | undefined {
  if (options.failures.length === 0) return undefined
  const found = options.failures.find(
    (one) =>
      (one.class_type ?? class_type) === class_type &&
      (one.node_id ?? node_id) === node_id &&
      (one.run ?? serial + 1) === serial + 1 &&
      (one.user === undefined || hosted === null || one.user === hosted.account.user),
  )
  if (found === undefined) return undefined
  const { exception_type, exception_message } = found
  return { exception_type, exception_message: exception_message ?? meaningOf(exception_type) }
}

/** Why every run of this account fails as soon as it starts, or undefined. */
export function accountFailure({ hosted }: World): Failure | undefined {
  const account = hosted?.account
  const word =
    account?.subscription === 'inactive' ? 'InactiveSubscriptionError' : account?.failsWith
  return word ? { exception_type: word, exception_message: exceptionTypes[word] } : undefined
}
