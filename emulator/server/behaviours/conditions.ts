// Conditions of node rules on the inputs of a call.

import { pythonEquals } from '../../lib/python.ts'
import { jsonOf } from './scripted-values.ts'
import type { Value } from '../state/nodes.ts'

/** Whether the inputs of a call have these values. Only literals have any, also those on links. */
export function matchesWhere(
  inputs: ReadonlyMap<string, Value>,
  where: object | undefined,
): boolean {
  if (where === undefined) return true
  return Object.entries(where).every(([name, expected]: [string, unknown]) => {
    const given = inputs.get(name)
    return given?.kind === 'literal' && pythonEquals(given.value, jsonOf(expected))
  })
}
