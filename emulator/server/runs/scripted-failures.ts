// Failures that do not follow from the graph [runs/*-error, runs/scenario-*]: those of the scenario, and of the
// account.

import { exceptionTypes } from '../../../spec/server/errors.ts'
import { meaningOf } from './exception-types.ts'
import type { Failure } from '../state/nodes.ts'
import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** The failure that the scenario has for a node of a run, or undefined [runs/scenario-failures]. */
export function plannedFailure(
  { setup: { options, hosted } }: World,
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

/** The failure of every run of this account at its start, or undefined. */
export function accountFailure({ setup: { hosted } }: World): Failure | undefined {
  const account = hosted?.account
  const word =
    account?.subscription === 'inactive' ? 'InactiveSubscriptionError' : account?.failsWith
  return word ? { exception_type: word, exception_message: exceptionTypes[word] } : undefined
}
