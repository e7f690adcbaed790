// The inputs and the work of a node, as data: its steps, values, files, texts, or its failure.

import { hash53 } from '../../lib/random.ts'
import type { Picture } from '../../pictures/picture.ts'
import { floatOf, type Json, numberOf } from '../../lib/json.ts'
import { pythonText } from '../../lib/python.ts'
import type { Batch, NodeType, Value, Work } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** A node about to be called: once, or for one item of its lists. */
export type Call = {
  readonly world: World
  readonly node_id: string
  readonly type: NodeType
  /** Hash of everything that determines the content of the outputs. */
  readonly hash: number
  readonly inputs: ReadonlyMap<string, Value>
  readonly hasPartnerKey: boolean
}

/** The behaviour of a node type: a function from a call to its work. */
export type Behaviour = (call: Call) => Work

/** The key of the letters in the temporary names of a node. */
export const lettersKey = (id: string, class_type: string): string => `${id} ${class_type}`

/** The work of a node that can only fail. */
export const failing = (exception_type: string, exception_message: string): Work => ({
  outputs: [],
  steps: 0,
  failure: { exception_type, exception_message },
})

/** Outputs of the declared types, with the sizes of the inputs. */
export function byDeclaration(call: Call): Work {
  return { outputs: declaredOutputs(call), steps: 0 }
}

export function declaredOutputs(call: Call): Value[] {
  const { outputs } = call.type
  if (outputs.length === 0) return [firstValue(call) ?? opaque(call, 0)]
  return outputs.map((type, index) => declaredOutput(call, type, index))
}

function declaredOutput(call: Call, type: string | Json[], index: number): Value {
  switch (type) {
    case 'IMAGE':
    case 'LATENT':
    case 'MASK':
      return { kind: 'picture', picture: painted(call, index), count: batchOf(call) }
    case 'INT':
      return { kind: 'literal', value: Math.trunc(firstNumber(call) ?? 0) }
    case 'FLOAT':
      return { kind: 'literal', value: floatOf(firstNumber(call) ?? 0) }
    case 'STRING':
      return { kind: 'literal', value: literalTexts(call).join('') }
    case 'BOOLEAN':
      return { kind: 'literal', value: false }
    case '*':
      return firstValue(call) ?? opaque(call, index)
    default:
      return opaque(call, index)
  }
}

const opaque = (call: Call, index: number): Value => ({
  kind: 'opaque',
  id: hash53(`${call.hash}:${index}`),
  count: numberInput(call, 'steps') ?? stepsOfSigmas(call) ?? 0,
})

const firstValue = (call: Call): Value | undefined => {
  for (const value of call.inputs.values()) if (value.kind !== 'literal') return value
  return call.inputs.values().next().value
}

const firstNumber = (call: Call): number | undefined => {
  for (const value of call.inputs.values()) {
    const number = value.kind === 'literal' ? numberOf(value.value) : undefined
    if (number !== undefined) return number
  }
  return undefined
}

const literalTexts = (call: Call): string[] => {
  const texts: string[] = []
  for (const value of call.inputs.values()) {
    if (value.kind === 'literal' && typeof value.value === 'string') texts.push(value.value)
  }
  return texts
}

/** A number among the inputs, or undefined; infinite values and NaN count as absent. */
export function numberInput(call: Call, name: string): number | undefined {
  const value = call.inputs.get(name)
  const number = value?.kind === 'literal' ? numberOf(value.value) : undefined
  return Number.isFinite(number) ? number : undefined
}

/** A text among the inputs, as Python prints the value; `fallback` if it is missing or not a literal. */
export function textInput(call: Call, name: string, fallback: string): string {
  const value = call.inputs.get(name)
  return value?.kind === 'literal' ? pythonText(value.value) : fallback
}

/** The first picture among the inputs, or the named one. */
export function pictureInput(call: Call, name?: string): Batch | undefined {
  if (name !== undefined) {
    const value = call.inputs.get(name)
    return value?.kind === 'picture' ? value : undefined
  }
  for (const value of call.inputs.values()) if (value.kind === 'picture') return value
  return undefined
}

/** The number of steps in the SIGMAS among the inputs. */
export function stepsOfSigmas(call: Call): number | undefined {
  const value = call.inputs.get('sigmas')
  return value?.kind === 'opaque' ? value.count : undefined
}

const DEFAULT_SIZE = 512

/**
 * Width and height of the result: as the inputs say, otherwise those of the first picture, scaled if the node scales.
 */
export function sizeInput(call: Call): { readonly width: number; readonly height: number } {
  const source = pictureInput(call)?.picture
  const scale = numberInput(call, 'scale_by') ?? 1
  const side = (name: 'width' | 'height'): number => {
    const own = numberInput(call, name) ?? 0
    const other = numberInput(call, name === 'width' ? 'height' : 'width') ?? 0
    if (own > 0) return own
    if (source === undefined) return DEFAULT_SIZE
    // A side of 0 keeps the aspect ratio of the source.
    const reference = name === 'width' ? source.height : source.width
    return other > 0 ? (source[name] * other) / reference : source[name] * scale
  }
  return { width: pixels(side('width')), height: pixels(side('height')) }
}

const pixels = (length: number): number => Math.max(1, Math.round(length))

function batchOf(call: Call): number {
  const own = numberInput(call, 'batch_size') ?? 1
  const source = pictureInput(call)?.count ?? 1
  return Math.max(1, Math.trunc(Math.max(own, source) * (numberInput(call, 'amount') ?? 1)))
}

/** A scene that depends on everything that the node depends on. */
export const painted = (call: Call, index = 0): Picture => ({
  kind: 'painted',
  id: hash53(`${call.world.setup.pictureSeed}:${call.hash}:${index}`),
  ...sizeInput(call),
})

/** Longer batches exceed the simulated memory. */
export const MAX_BATCH = 4096

/** A batch of one or more pictures. */
export const batchFrom = (pictures: readonly Picture[]): Batch => ({
  kind: 'picture',
  picture: pictures[0] as Picture,
  rest: pictures.slice(1),
  count: pictures.length,
})

/** A batch of the same pictures that is not computed: a model has decoded or encoded it. */
export const plain = ({ kind, picture, rest, count }: Batch): Batch =>
  rest === undefined ? { kind, picture, count } : { kind, picture, rest, count }

/** The pictures of a batch: listed ones, or variations of one picture, each with different content. */
export function batchPictures({ picture, rest, count }: Batch): Picture[] {
  if (count === 0) return []
  const pictures = [picture]
  if (rest !== undefined) return [...pictures, ...rest]
  for (let index = 1; index < count; index++) pictures.push(variation(picture, index))
  return pictures
}

/** A later picture of a batch: painted ones differ, and computed ones are computed with it. */
function variation(picture: Picture, index: number): Picture {
  if (picture.kind !== 'painted' && picture.kind !== 'computed') return picture
  const id = hash53(`${picture.id}:${index}`)
  return picture.kind === 'painted' ? { ...picture, id } : { ...picture, id, index }
}
