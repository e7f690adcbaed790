// Evaluates the calls of nodes that compute, in two steps: `evaluate` returns shapes, numbers, texts and exceptions while
// the node runs; `createRead` computes the content of tensors when somebody requests it, within bounds. So no number,
// text or shape depends on the content of a picture.

import { limits } from '../../spec/limits.ts'
import type { FileSource, Output, Picture, Recipe, Source } from '../pictures/picture.ts'
import type { Pixels } from '../pictures/pixels.ts'
import { inputsOf } from './values/inputs.ts'
import { raise } from '../lib/raised.ts'
import { FileBytes, type Value } from './values/values.ts'
import { pictureTensor } from './values/pictures.ts'
import { checks, computes, laterComputes } from './table.ts'
import { countOf, type Read, sizeOf, type Tensor } from './values/tensor.ts'

/** Whether a type only checks its inputs here; what it does then stands elsewhere. */
export const isChecked = (class_type: string): boolean => Object.hasOwn(checks, class_type)

/** Whether a type computes its outputs. */
export const isComputed = (class_type: string): boolean =>
  Object.hasOwn(computes, class_type) || Object.hasOwn(laterComputes, class_type)

/** Results by call: every picture of a batch asks for those of the whole chain before it. */
const known = new WeakMap<Recipe, readonly Value[]>()

/** The outputs of a call. Throws Raised if the node ends with an exception. */
export function evaluate(recipe: Recipe): readonly Value[] {
  const found = known.get(recipe)
  if (found !== undefined) return found
  const values = new Map<string, Value>()
  for (const [name, source] of Object.entries(recipe.inputs)) values.set(name, valueOf(source))
  const { class_type } = recipe
  const later = recipe.later === true ? laterComputes[class_type] : undefined
  const compute = later ?? computes[class_type] ?? checks[class_type]
  const outputs = compute?.(inputsOf(values)) ?? []
  known.set(recipe, outputs)
  return outputs
}

/** The value of an output of a call. */
export function valueOfOutput({ recipe, slot, item }: Output): Value {
  const value = evaluate(recipe)[slot] ?? null
  return item === null ? value : ((value as readonly Value[])[item] ?? null)
}

/** The value that a source stands for. */
export function valueOf(source: Source): Value {
  switch (source.kind) {
    case 'literal':
      return source.value
    case 'output':
      return valueOfOutput(source.of)
    case 'pictures':
      return pictureTensor(source.as, source.pictures)
    case 'list':
      return source.items.map(valueOf)
    case 'file':
      return new FileBytes(source, soundOf(source))
  }
}

const soundOf = ({ made }: FileSource): Value | undefined =>
  made?.sound?.of && valueOfOutput(made.sound.of)

/** How many numbers may be computed for one picture [nodes/picture-bounded]. */
export const MOST_NUMBERS = limits.computedNumbers.value
/** How many bytes of intermediate results are kept. */
const MOST_BYTES = 2 ** 28

/** Ends the computation of a picture or a text that would take too long. */
export class TooMuch extends Error {
  constructor() {
    super('The result takes too many numbers to compute.')
  }
}

/**
 * Returns a function that reads tensors. It keeps what it has made, so that a picture that is used twice is made once,
 * and throws TooMuch when the budget is spent.
 */
export function createRead(
  paint: (picture: Picture) => Pixels,
  budget: { left: number } = { left: MOST_NUMBERS },
): Read {
  const items = new Map<Tensor, Map<number, Float32Array>>()
  let keptBytes = 0
  const spend = (numbers: number): void => {
    budget.left -= numbers
    if (budget.left < 0) throw new TooMuch()
  }
  const read = (tensor: Tensor, index: number): Float32Array => {
    const at = countOf(tensor) === 0 ? 0 : index
    const made = items.get(tensor)?.get(at)
    if (made !== undefined) return made
    spend(sizeOf(tensor))
    const item = tensor.make(at, read as Read)
    // The parts of tensors that do not fit together.
    if (countOf(tensor) > 0 && item.length !== sizeOf(tensor))
      raise('RuntimeError', 'shape mismatch')
    keep(tensor, at, item)
    return item
  }
  const keep = (tensor: Tensor, index: number, item: Float32Array): void => {
    const own = items.get(tensor) ?? new Map<number, Float32Array>()
    items.set(tensor, own.set(index, item))
    keptBytes += item.byteLength
    for (const [oldest, made] of items) {
      if (keptBytes <= MOST_BYTES || oldest === tensor) break
      for (const { byteLength } of made.values()) keptBytes -= byteLength
      items.delete(oldest)
    }
  }
  return Object.assign(read, { spend, pixels: (picture: Picture) => paint(picture).data })
}
