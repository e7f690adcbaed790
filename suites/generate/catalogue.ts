// The node types of the catalogue from which a workflow can be made: those whose inputs can be filled.

import { type Graph, type Node, node } from './graphs.ts'
import { nodeTypesText } from './node-types.ts'

/** A required input as the catalogue declares it. */
export type Input = {
  readonly name: string
  readonly type: string | readonly unknown[]
  readonly options: Readonly<Record<string, any>>
}
export type NodeType = {
  readonly name: string
  readonly inputs: readonly Input[]
  readonly outputs: readonly string[]
  readonly isOutput: boolean
}

/** Picks a number from 0 that is smaller than this one. */
export type Pick = (below: number) => number

/** A pick that cycles through numbers. */
export function pickFrom(numbers: readonly number[]): Pick {
  let at = 0
  return (below) => (numbers[at++ % numbers.length] ?? 0) % below
}

const isLiteral = ({ type }: Input): boolean =>
  Array.isArray(type) || ['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO'].includes(String(type))

/** Whether a link of one type fits an input of the other, whose type may be several names between commas. */
export const fits = (received: string, expected: Input['type']): boolean =>
  received === '*' ||
  expected === '*' ||
  (typeof expected === 'string' && expected.split(',').some((name) => name === received))

/** These load a file that a new server does not have. */
const loaders = new Set(['LoadAudio', 'LoadVideo', 'LoadLatent', 'LoadImageOutput'])

function readTypes(): NodeType[] {
  const catalogue: Record<string, any> = JSON.parse(nodeTypesText())
  return Object.entries(catalogue)
    .filter(([name]) => !loaders.has(name))
    .map(([name, { input, output, output_node }]) => ({
      name,
      inputs: Object.entries<any>(input.required ?? {}).map(([name, [type, options = {}]]) => ({
        name,
        type,
        options,
      })),
      outputs: output,
      isOutput: output_node,
    }))
    .filter(({ inputs }) => inputs.every(({ type }) => !Array.isArray(type) || type.length > 0))
}

type UsableTypes = ReadonlyMap<string, { readonly type: NodeType; readonly round: number }>

/**
 * The usable types by name. Each round adds those whose links the types of earlier rounds can feed: a node that is fed
 * from earlier rounds only has an end of nodes before it.
 */
function usableTypes(): UsableTypes {
  const usable = new Map<string, { readonly type: NodeType; readonly round: number }>()
  const types = readTypes()
  for (let round = 0, before = -1; usable.size > before; round++) {
    before = usable.size
    const fed = new Set([...usable.values()].flatMap(({ type }) => sourceOutputs(type)))
    const isFed = (input: Input): boolean =>
      isLiteral(input) || [...fed].some((output) => fits(output, input.type))
    const added = types.filter(({ name, inputs }) => !usable.has(name) && inputs.every(isFed))
    for (const type of added) usable.set(type.name, { type, round })
  }
  return usable
}

/** The outputs of a type that can feed other nodes. Output nodes feed none, so that the result has one output. */
const sourceOutputs = ({ isOutput, outputs }: NodeType): readonly string[] =>
  isOutput ? [] : outputs

const usable = usableTypes()

/** All usable types. */
export const types: readonly NodeType[] = Array.from(usable.values(), ({ type }) => type)

/** The usable type of a node. Throws without one. */
export function typeOf({ class_type }: Node): NodeType {
  const found = usable.get(class_type)
  if (found === undefined) throw new Error(`${class_type} is not a usable type.`)
  return found.type
}

/** A literal that an input accepts. */
function literalFor({ type, options }: Input, pick: Pick): unknown {
  const list = Array.isArray(type) ? type : options['options']
  if (type === 'COMBO' || Array.isArray(type)) return list?.[pick(list.length)] ?? 'any'
  if (type === 'STRING') return String(options['default'] ?? 'a text')
  if (type === 'BOOLEAN') return options['default'] ?? pick(2) === 1
  // Bounds of 64 bits cannot be represented as JavaScript numbers.
  const min = Math.abs(options['min']) < 2 ** 53 ? options['min'] : undefined
  return min !== undefined && pick(4) === 0 ? min : (options['default'] ?? min ?? 1)
}

/** Adds a node of a type to a graph, and the nodes that feed it where the existing ones do not. Returns its id. */
export function addNode(graph: Record<string, Node>, type: NodeType, pick: Pick): string {
  const inputs: Record<string, unknown> = {}
  for (const input of type.inputs) {
    inputs[input.name] = isLiteral(input)
      ? literalFor(input, pick)
      : linkFor(graph, type, input, pick)
  }
  const id = `${type.name} ${Object.keys(graph).length}`
  graph[id] = node(type.name, inputs)
  return id
}

/** A link to a node of the graph, or to a new one. */
function linkFor(
  graph: Record<string, Node>,
  { name }: NodeType,
  input: Input,
  pick: Pick,
): readonly [string, number] {
  const there = outputsOf(graph).filter(([, , type]) => fits(type, input.type))
  const [id, index] = there[pick(there.length * 2 + 1)] ?? []
  if (id !== undefined && index !== undefined) return [id, index]
  const round = usable.get(name)?.round ?? 0
  const feeding = [...usable.values()].filter(
    (one) => one.round < round && sourceOutputs(one.type).some((type) => fits(type, input.type)),
  )
  const { type } = feeding[pick(feeding.length)]!
  return [addNode(graph, type, pick), type.outputs.findIndex((output) => fits(output, input.type))]
}

/** The outputs in a graph that can feed others. */
const outputsOf = (graph: Graph): (readonly [id: string, index: number, type: string])[] =>
  Object.entries(graph).flatMap(([id, { class_type }]) => {
    const type = usable.get(class_type)?.type
    return type === undefined ? [] : sourceOutputs(type).map((name, at) => [id, at, name] as const)
  })
