// The values that node rules set [scenario/node-values]: literals, and those of inputs; and those that they look for.

import { floatOf, type Json, numberOf, readJson } from '../../lib/json.ts'
import type { Call } from '../nodes/node.ts'
import { pythonEquals } from '../../lib/python.ts'
import type { Value, Work } from '../state/nodes.ts'

/** The outputs with the values of a rule; null keeps the value of the node. */
export function scriptedValues(
  call: Call,
  values: readonly unknown[],
  own: Work['outputs'],
): Work['outputs'] {
  const length = Math.max(values.length, own.length)
  return Array.from({ length }, (_, index) => {
    const value = values[index] ?? null
    const kept = own[index]
    if (value === null && kept !== undefined) return kept
    const type = call.type.outputs[index]
    return Array.isArray(value) && call.type.outputIsList[index]
      ? value.map((item) => valueOf(call.inputs, item, type))
      : valueOf(call.inputs, value, type)
  })
}

/** The value that a rule names: that of an input, or a literal. */
export function valueOf(
  inputs: ReadonlyMap<string, Value>,
  given: unknown,
  type?: string | Json[],
): Value {
  const input = inputNamed(given)
  if (input !== undefined) return inputs.get(input) ?? { kind: 'literal', value: null }
  const value = jsonOf(given)
  const number = typeof value === 'boolean' ? undefined : numberOf(value)
  const isFloat = type === 'FLOAT' && number !== undefined
  return { kind: 'literal', value: isFloat ? floatOf(number) : value }
}

/** The input that `{"input": NAME}` names, or undefined. */
export function inputNamed(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || !('input' in given)) return undefined
  return typeof given.input === 'string' ? given.input : undefined
}

/** A value of the scenario, which is plain data, in the form of the server. */
export const jsonOf = (given: unknown): Json => readJson(JSON.stringify(given ?? null))

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
