// The work of a node as its rules change it [scenario/node-*]: steps, previews, values, files, texts, a failure.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { nodeTypes } from '../nodes/catalog.ts'
import { meaningOf } from '../nodes/exception-types.ts'
import { type Call, painted } from '../nodes/node.ts'
import { ownOutputs } from './scripted-files.ts'
import { plannedFailure } from '../nodes/script.ts'
import { workOf } from './work.ts'
import { matchesWhere, scriptedValues } from './scripted-values.ts'
import type { DeclaredInput, Value, Work } from '../state/nodes.ts'

/** The work of a call by the type of its node, and by the rules for it, if there are any. */
export function scriptedWork(call: Call, script: NodeRule | null): Work {
  if (script === null) return workOf(call)
  const failure = plannedFailure(script, meaningOf)
  if (failure !== undefined && script.atStep === undefined)
    return { outputs: [], steps: 0, failure }
  const own = workOf(script.as === undefined ? call : actingAs(call, script.as))
  if (own.failure !== undefined) return own
  const work = Object.assign({}, own, withSteps(call, own, script))
  if (script.values !== undefined)
    Object.assign(work, { outputs: scriptedValues(call, script.values, own.outputs) })
  if (script.outputs !== undefined) Object.assign(work, withOutputs(call, own, script.outputs))
  if (script.blocks !== undefined)
    Object.assign(work, { outputs: blockedOutputs(call, script.blocks, work.outputs) })
  if (failure === undefined && matchesWhere(call.inputs, script.expands?.where))
    Object.assign(work, { expands: script.expands })
  if (failure !== undefined)
    Object.assign(work, { failure, stopsAt: Math.min(script.atStep ?? 0, work.steps) })
  return work
}

/**
 * The call of a node that does the work of another type [scenario/node-as]. A link that the other type requires by another
 * name is the first one of its type.
 */
function actingAs(call: Call, class_type: string): Call {
  const inputs = new Map(call.inputs)
  for (const { name, type } of nodeTypes(call.world).get(class_type)?.inputs ?? []) {
    const same = call.type.inputs.find((one) => one.type === type && !isLiteral(type))
    const value = same && call.inputs.get(same.name)
    if (value !== undefined && !inputs.has(name)) inputs.set(name, value)
  }
  return { ...call, inputs, type: { ...call.type, class_type } }
}

const literals = new Set(['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO'])

const isLiteral = (type: DeclaredInput['type']): boolean =>
  Array.isArray(type) || literals.has(type)

/** The outputs for the user of a rule, or the failure to make them. */
function withOutputs(
  call: Call,
  work: Work,
  outputs: NonNullable<NodeRule['outputs']>,
): Partial<Work> {
  const own = ownOutputs(call, work, outputs)
  return 'exception_type' in own ? { failure: own } : { own }
}

/** The steps of a call, and the previews that it sends with them. */
function withSteps(
  call: Call,
  own: Work,
  { steps, preview, previewBytes }: NodeRule,
): Partial<Work> {
  const changed: { -readonly [Name in keyof Work]?: Work[Name] } = {}
  if (steps !== undefined) Object.assign(changed, { steps, max: steps })
  if (preview !== undefined) changed.previewFormat = preview
  if (previewBytes !== undefined) changed.previewBytes = previewBytes
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

/** The outputs that a call blocks are blocked, the others stay [scenario/node-blocks]. */
function blockedOutputs(
  { inputs }: Call,
  blocks: NonNullable<NodeRule['blocks']>,
  own: Work['outputs'],
): Work['outputs'] {
  const applying = blocks.filter(({ where }) => matchesWhere(inputs, where))
  return own.map((output, index) => {
    const block = applying.find(({ outputs }) => outputs === undefined || outputs.includes(index))
    if (block === undefined) return output
    return { kind: 'blocked', message: block.message ?? null } satisfies Value
  })
}
