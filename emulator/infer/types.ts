// Infers the declarations of node types that a catalogue lacks, from all nodes that use them: their literals, and the links
// between them and nodes of known types.

import { isFloat, isObject, type Json, numberOf } from '../lib/json.ts'
import { linkOf } from '../server/graph/graph.ts'
import {
  isFraction,
  isModelName,
  isOneOfSeveral,
  isOutputName,
  isTemplate,
  isUsuallyRequired,
  takesAnything,
  typeByName,
} from './names.ts'
import { isKnownOutput } from './output-nodes.ts'
import type { Catalogue, WorkflowNode } from './nodes.ts'

/** An input as it is declared: its type, or the options of a combo. */
export type InferredInput = {
  readonly name: string
  readonly type: string | readonly string[]
  readonly isRequired: boolean
}

export type UnknownType = {
  readonly class_type: string
  readonly inputs: readonly InferredInput[]
  readonly outputs: readonly string[]
  readonly isOutput: boolean
  /** The workflows that use it. */
  readonly files: readonly string[]
}

/** Anything: it says nothing about the other end of a link. */
const ANY = '*'

/** An input or an output of a type: all nodes of the type share it. `seen` has the types that something says it has. */
type End = { readonly seen: Set<string>; readonly others: Set<End> }

type Ends = Map<string, End>

const keyOf = (class_type: string, name: string): string => `${class_type}\n${name}`

const endOf = (ends: Ends, key: string): End => {
  const end = ends.get(key) ?? { seen: new Set(), others: new Set() }
  ends.set(key, end)
  return end
}

/** The type that an end has by all that is said; undefined without anything. */
function typeOfEnd({ seen }: End): string | undefined {
  const [first, ...others] = seen
  if (others.length === 0) return first
  const isNumber = [...seen].every((type) => type === 'INT' || type === 'FLOAT')
  return isNumber ? 'FLOAT' : ANY
}

/** The declarations of all types that the catalogue lacks, in the order of their first nodes. */
export function inferTypes(
  nodes: readonly WorkflowNode[],
  typeOf: Catalogue,
): readonly UnknownType[] {
  const unknown = new Map<string, WorkflowNode[]>()
  for (const node of nodes) {
    if (typeOf(node.class_type) !== undefined) continue
    unknown.set(node.class_type, [...(unknown.get(node.class_type) ?? []), node])
  }
  const inputs: Ends = new Map()
  const outputs: Ends = new Map()
  const usedOutputs = new Map<string, number>()
  const consumed = new Set<string>()
  for (const node of nodes) followLinks(node, typeOf, { inputs, outputs, usedOutputs, consumed })
  for (const [class_type, all] of unknown) {
    for (const name of namesOf(all)) {
      const end = endOf(inputs, keyOf(class_type, name))
      for (const { inputs: given } of all) sayOf(end, name, given.get(name))
      if (all.some(({ inputs: given }) => isLink(given.get(name))) && takesAnything.test(name))
        passAnything(class_type, end, outputs)
    }
  }
  pass([...inputs.values(), ...outputs.values()])
  for (const [key, end] of inputs) {
    const byName = typeByName(key.slice(key.indexOf('\n') + 1))
    if (end.seen.size === 0 && byName !== undefined) end.seen.add(byName)
  }
  pass([...inputs.values(), ...outputs.values()])
  return Array.from(unknown, ([class_type, all]) => ({
    class_type,
    inputs: namesOf(all).map((name) => declared(class_type, name, all, inputs)),
    outputs: Array.from({ length: usedOutputs.get(class_type) ?? 0 }, (_, index) => {
      const end = outputs.get(keyOf(class_type, `${index}`))
      return (end && typeOfEnd(end)) ?? ANY
    }),
    isOutput: !consumed.has(class_type) || isOutputName(class_type) || isKnownOutput(class_type),
    files: [...new Set(all.map(({ file }) => file))],
  }))
}

/** The names of all inputs, except those with a bare list: a server takes one only where nothing is declared. */
function namesOf(all: readonly WorkflowNode[]): readonly string[] {
  const given = all.flatMap(({ inputs }) => [...inputs])
  const lists = given.filter(([, value]) => Array.isArray(value) && !isLink(value))
  const bare = new Set(lists.map(([name]) => name))
  return [...new Set(given.map(([name]) => name))].filter((name) => !bare.has(name))
}

const isLink = (value: Json | undefined): boolean =>
  value !== undefined && linkOf(value) !== undefined

/** What the links into a node say about the types at their ends. */
function followLinks(
  node: WorkflowNode,
  typeOf: Catalogue,
  {
    inputs,
    outputs,
    usedOutputs,
    consumed,
  }: {
    readonly inputs: Ends
    readonly outputs: Ends
    readonly usedOutputs: Map<string, number>
    readonly consumed: Set<string>
  },
): void {
  const target = typeOf(node.class_type)
  for (const [name, value] of node.inputs) {
    const link = linkOf(value)
    const from = link && node.graph.get(link.source)
    const source = isObject(from) ? from.get('class_type') : undefined
    if (link === undefined || typeof source !== 'string') continue
    const { index } = link
    consumed.add(source)
    const sourceType = typeOf(source)
    const input = target === undefined ? endOf(inputs, keyOf(node.class_type, name)) : undefined
    if (sourceType === undefined) {
      if (!isIndex(index)) continue
      usedOutputs.set(source, Math.max(usedOutputs.get(source) ?? 0, index + 1))
      const output = endOf(outputs, keyOf(source, `${index}`))
      const expected = target?.inputs.find((one) => one.name === name)?.type
      if (typeof expected === 'string' && expected !== ANY) output.seen.add(expected)
      if (input !== undefined) {
        output.others.add(input)
        input.others.add(output)
      }
    } else if (input !== undefined) {
      const type = sourceType.outputs.at(index)
      if (typeof type === 'string' && type !== ANY) input.seen.add(type)
    }
  }
}

/** No node has more outputs. A link to another one stays wrong. */
const MAX_OUTPUTS = 256

const isIndex = (index: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < MAX_OUTPUTS

/** What a literal says about its input. */
function sayOf(end: End, name: string, value: Json | undefined): void {
  if (value === undefined || isLink(value)) return
  if (typeof value === 'string') {
    if (!isTemplate(value)) end.seen.add('STRING')
  } else if (typeof value === 'boolean') end.seen.add('BOOLEAN')
  else if (isFloat(value)) end.seen.add('FLOAT')
  else if (numberOf(value) !== undefined)
    end.seen.add(Number.isInteger(numberOf(value)) && !isFraction(name) ? 'INT' : 'FLOAT')
  else end.seen.add(ANY)
}

/** A node that takes anything returns anything: a switch, a gate, a display. */
function passAnything(class_type: string, input: End, outputs: Ends): void {
  input.seen.clear()
  input.seen.add(ANY)
  for (const [key, output] of outputs)
    if (key.startsWith(keyOf(class_type, ''))) output.seen.add(ANY)
}

/** Passes types along the links between unknown types, until nothing changes. What is anything passes nothing on. */
function pass(ends: readonly End[]): void {
  for (let isChanged = true; isChanged;) {
    isChanged = false
    for (const end of ends) {
      const type = typeOfEnd(end)
      if (type === undefined || type === ANY) continue
      for (const other of end.others)
        if (other.seen.size === 0) {
          other.seen.add(type)
          isChanged = true
        }
    }
  }
}

/** The declaration of an input. */
function declared(
  class_type: string,
  name: string,
  all: readonly WorkflowNode[],
  ends: Ends,
): InferredInput {
  const values = all.map(({ inputs }) => inputs.get(name))
  const end = ends.get(keyOf(class_type, name))
  const type = (end && typeOfEnd(end)) ?? ANY
  const files = values.filter((value) => typeof value === 'string' && isModelName(value))
  const isCombo =
    files.length > 0 && files.length === values.filter((one) => one !== undefined).length
  const isEverywhere = values.every((value) => value !== undefined)
  const isOpen = values.some(isObject)
  const isRequired =
    isEverywhere &&
    !isOpen &&
    !isOneOfSeveral(name) &&
    (values.every((value) => !isLink(value)) || isUsuallyRequired(name))
  return {
    name,
    type: isCombo ? [...new Set(files as string[])].sort() : isOpen ? ANY : type,
    isRequired,
  }
}
