// Determines the type of a link, and whether it fits the input at its end [workflows/link-type].

import { isFloat, type Json } from '../../lib/json.ts'
import type { PythonException } from './node-errors.ts'
import { pythonEquals, pythonTypeName } from '../../lib/python.ts'
import type { NodeType } from '../state/nodes.ts'

/** The declared type of an output; negative indexes count from the end. */
export function outputType(type: NodeType, index: Json): string | Json[] | PythonException {
  if (typeof index !== 'number' && typeof index !== 'bigint' && typeof index !== 'boolean') {
    const name = isFloat(index) ? 'float' : pythonTypeName(index)
    const holder = type.newStyle ? 'list' : 'tuple'
    return { type: 'TypeError', text: `${holder} indices must be integers or slices, not ${name}` }
  }
  // Pass-through types of unknown classes have any number of outputs.
  if (type.text === '') return '*'
  const at = Number(index)
  const found = Number.isInteger(at) ? type.outputs.at(at) : undefined
  const inRange = at < type.outputs.length && at >= -type.outputs.length
  if (found !== undefined && inRange) return found
  if (!Number.isInteger(at)) {
    return {
      type: 'TypeError',
      text: `${type.newStyle ? 'list' : 'tuple'} indices must be integers or slices, not float`,
    }
  }
  return { type: 'IndexError', text: `${type.newStyle ? 'list' : 'tuple'} index out of range` }
}

/** Whether a link of this type fits an input: equal, any, or sharing one name of a comma-separated list. */
export function typesMatch(
  received: string | readonly Json[],
  expected: string | readonly Json[],
): boolean {
  if (received === '*' || expected === '*' || received === expected) return true
  if (typeof received === 'string' && typeof expected === 'string') {
    const names = new Set(received.split(',').map((name) => name.trim()))
    return expected.split(',').some((name) => names.has(name.trim()))
  }
  return (
    typeof received !== 'string' && typeof expected !== 'string' && sameOptions(received, expected)
  )
}

const sameOptions = (a: readonly Json[], b: readonly Json[]): boolean =>
  a.length === b.length && a.every((option, index) => pythonEquals(option, b[index] as Json))
