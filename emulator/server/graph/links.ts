// Determines the type of a link, and whether it fits the input at its end [workflows/link-type].

import type { Json } from '../../lib/json.ts'
import type { PythonException } from './node-errors.ts'
import { pythonEquals, pythonTypeName, wrongIndex } from '../../lib/python.ts'
import type { NodeType } from '../state/nodes.ts'

/** The declared type of an output; negative indexes count from the end. */
export function outputType(type: NodeType, index: Json): string | Json[] | PythonException {
  const holder = type.newStyle ? 'list' : 'tuple'
  if (typeof index !== 'number' && typeof index !== 'bigint' && typeof index !== 'boolean')
    return { type: 'TypeError', text: wrongIndex(holder, pythonTypeName(index)) }
  // Pass-through types of unknown classes have any number of outputs.
  if (type.text === '') return '*'
  const at = Number(index)
  const found = Number.isInteger(at) ? type.outputs.at(at) : undefined
  const inRange = at < type.outputs.length && at >= -type.outputs.length
  if (found !== undefined && inRange) return found
  return Number.isInteger(at)
    ? { type: 'IndexError', text: `${holder} index out of range` }
    : { type: 'TypeError', text: wrongIndex(holder, 'float') }
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
