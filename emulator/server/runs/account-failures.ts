// Failures that do not follow from the graph [runs/*-error]: those of the account.

import { exceptionTypes } from '../../../spec/server/errors.ts'
import type { Failure } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** The failure of every run of this account at its start, or undefined. */
export function accountFailure({ setup: { hosted } }: World): Failure | undefined {
  const account = hosted?.account
  const word =
    account?.subscription === 'inactive' ? 'InactiveSubscriptionError' : account?.failsWith
  return word ? { exception_type: word, exception_message: exceptionTypes[word] } : undefined
}
