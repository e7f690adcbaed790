// Partner nodes, which cost money [access/partner-key-*]: the keys that they accept, and their costs.

import { partnerNodeCost } from '../../../spec/server/access.ts'
import type { Json } from '../../lib/json.ts'
import type { Call } from '../nodes/node.ts'
import { isTruthy } from '../../lib/python.ts'
import type { Failure } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** Whether partner nodes accept this value as a key: on local any non-empty text, on hosted the key of the account. */
export function takesPartnerKey(
  { setup: { hosted, quirks } }: World,
  given: Json | undefined,
): boolean {
  if (hosted === null) return isTruthy(given)
  if (typeof given !== 'string' || given === '') return false
  return quirks.has('hosted.partner-key-is-api-key')
    ? hosted.account.keys.includes(given)
    : given === hosted.account.partnerKey
}

/** Subtracts the cost of a partner node from the balance, or returns why it does not run. */
export function payPartner({ world, hasPartnerKey }: Call): Failure | undefined {
  if (!hasPartnerKey)
    return {
      exception_type: 'Exception',
      exception_message: 'Unauthorized: Please login first to use this node.',
    }
  const { state } = world
  if (world.setup.hosted === null) return undefined
  if (state.balance < partnerNodeCost)
    return {
      exception_type: 'InsufficientFundsError',
      exception_message: `This node costs ${partnerNodeCost}, and the balance is ${state.balance}.`,
    }
  state.balance -= partnerNodeCost
  return undefined
}
