// The work of a node as its rules change it [scenario/node-*]: steps, previews, values, files, texts, a failure.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { floatOf, type Json, numberOf, readJson } from '../../lib/json.ts'
import { meaningOf } from './exception-types.ts'
import { type Call, painted } from './node.ts'
import { ownFiles } from './scripted-files.ts'
import { plannedFailure } from './script.ts'
import { workOf } from './work.ts'
import type { Value, Work } from '../state/nodes.ts'

/** The work of a call by the type of its node, and by the rules for it, if there are any. */
export function scriptedWork(call: Call, script: NodeRule | null): Work {
  if (script === null) return workOf(call)
  const failure = plannedFailure(script, meaningOf)
  if (failure !== undefined && script.atStep === undefined)
    return { outputs: [], steps: 0, failure }
  const own = workOf(call)
  if (own.failure !== undefined) return own
  const work = Object.assign({}, own, withSteps(call, own, script))
  if (script.values !== undefined)
    Object.assign(work, { outputs: scriptedValues(call, script.values, own.outputs) })
  if (script.outputs !== undefined)
    Object.assign(work, { own: ownFiles(call, own, script.outputs) })
  if (failure !== undefined)
    Object.assign(work, { failure, stopsAt: Math.min(script.atStep ?? 0, work.steps) })
  return work
}

/** The steps of a call, and the previews that it sends with them. */
function withSteps(call: Call, own: Work, { steps, preview }: NodeRule): Partial<Work> {
  const changed: { -readonly [Name in keyof Work]?: Work[Name] } = {}
  if (steps !== undefined) Object.assign(changed, { steps, max: steps })
  if (preview !== undefined) changed.previewFormat = preview
  if (preview === 'jpeg' || preview === 'png') changed.preview = own.preview ?? pictureOf(call, own)
  return changed
}

/** The picture that a node shows while it works: its first output picture, or a painted one. */
function pictureOf(call: Call, { outputs }: Work): NonNullable<Work['preview']> {
  for (const output of outputs) {
    const [first] = 'kind' in output ? [output] : output
    if (first?.kind === 'picture') return first.picture
  }
  return painted(call)
}

/** The outputs with the values of a rule; null keeps the value of the node. */
function scriptedValues(
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
      ? value.map((item) => valueOf(call, item, type))
      : valueOf(call, value, type)
  })
}

/** The value that a rule names: that of an input, or a literal. */
export function valueOf(call: Call, given: unknown, type: string | Json[] | undefined): Value {
  const input = inputNamed(given)
  if (input !== undefined) return call.inputs.get(input) ?? { kind: 'literal', value: null }
  const value = jsonOf(given)
  const number = typeof value === 'boolean' ? undefined : numberOf(value)
  return {
    kind: 'literal',
    value: type === 'FLOAT' && number !== undefined ? floatOf(number) : value,
  }
}

/** The input that `{"input": NAME}` names, or undefined. */
export function inputNamed(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || !('input' in given)) return undefined
  return typeof given.input === 'string' ? given.input : undefined
}

/** A value of the scenario, which is plain data, in the form of the server. */
export const jsonOf = (given: unknown): Json => readJson(JSON.stringify(given ?? null))
