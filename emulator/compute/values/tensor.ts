// Arrays of numbers whose shape is known immediately and whose content is made on request, item by item: plain float32,
// row by row. An item is everything at one position of the first dimension; a vector is one item.
//
// An IMAGE is [count, height, width, channels], an item of it one picture. A MASK is [count, height, width].

import type { Picture } from '../../pictures/picture.ts'
import { raise } from '../../lib/raised.ts'

/** Reads the content of tensors. Only the function that makes the content of another tensor has it. */
export type Read = {
  /** The content of one item. Shared: do not write to it. */
  (tensor: Tensor, index: number): Float32Array
  /** The colours of a picture, from 0 to 255: red, green, blue and alpha of each pixel. */
  readonly pixels: (picture: Picture) => Uint8Array
  /** Counts work beyond the numbers of the result, such as the window of a blur; ends the computation when it is too much. */
  readonly spend: (numbers: number) => void
}

/** Raises the exception for a tensor with a side that is negative or infinite. */
export function checkSides(shape: readonly number[]): void {
  const wrong = shape.find((side) => side < 0 || !Number.isSafeInteger(side))
  if (wrong === undefined) return
  const text = `Trying to create tensor with negative dimension ${wrong}: [${shape.join(', ')}]`
  raise('RuntimeError', text)
}

/** Raises the exception for a tensor that is split into parts of these sides, if they hold no number. */
export function checkReshape(sides: readonly number[]): void {
  if (!sides.includes(0)) return
  const text = `cannot reshape tensor of 0 elements into shape [-1, ${sides.join(', ')}] because the unspecified dimension size -1 can be any value and is ambiguous`
  raise('RuntimeError', text)
}

/** Raises the exception for a batch of no tensors. */
export function checkStack(count: number): void {
  if (count === 0) raise('RuntimeError', 'stack expects a non-empty TensorList')
}

/** Longer lists exceed the simulated memory. */
const MOST_LISTED = 2 ** 20

/** Raises the exception for something that does not fit into the simulated memory. */
export const outOfMemory = (): never =>
  raise(
    'torch.OutOfMemoryError',
    'Allocation on device would exceed allowed memory. (out of memory)',
  )

/** Raises the exception for a list that is too long. */
export function checkLength(length: number): void {
  if (length > MOST_LISTED) outOfMemory()
}

/** The type of complex numbers: real and imaginary parts alternate. */
export const COMPLEX = 'complex64'

export class Tensor {
  readonly shape: readonly number[]
  /** Makes the content of one item. */
  readonly make: (index: number, read: Read) => Float32Array
  /** The type of the numbers, by its name in Python; here all are float32. */
  readonly dtype: string
  /** The number that it holds everywhere, if that is known. */
  readonly fill: number | undefined
  constructor(
    shape: readonly number[],
    make: (index: number, read: Read) => Float32Array,
    dtype = 'float32',
    fill?: number,
  ) {
    checkSides(shape)
    this.shape = shape
    this.make = make
    this.dtype = dtype
    this.fill = fill
  }
}

/** Numbers by their places: a loop takes a fraction of the time of `Float32Array.from`. */
export function numbers(length: number, valueAt: (at: number) => number): Float32Array {
  const values = new Float32Array(length)
  for (let at = 0; at < values.length; at++) values[at] = valueAt(at)
  return values
}

export const product = (numbers: readonly number[]): number =>
  numbers.reduce((all, one) => all * one, 1)

/** How many items a tensor has. */
export const countOf = ({ shape }: Tensor): number =>
  shape.length > 1 ? (shape[0] as number) : Math.min(1, shape[0] ?? 1)

const itemSize = (shape: readonly number[]): number =>
  product(shape.length > 1 ? shape.slice(1) : shape)

/** How many numbers an item has; a complex number is two. */
export const sizeOf = ({ shape, dtype }: Tensor): number =>
  itemSize(shape) * (dtype === COMPLEX ? 2 : 1)

/** A tensor with known content. */
export const constant = (shape: readonly number[], values: ArrayLike<number>): Tensor => {
  const data = Float32Array.from(values)
  const size = itemSize(shape)
  return new Tensor(shape, (index) => data.subarray(index * size, (index + 1) * size))
}

/** A tensor that holds one number everywhere. */
export const filled = (shape: readonly number[], value: number): Tensor => {
  const size = itemSize(shape)
  return new Tensor(shape, () => new Float32Array(size).fill(value), 'float32', value)
}

/** A colour within its bounds, 0 and 1. */
export const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** Changes each number: `map(image, (value) => 1 - value)`. */
export const map = (tensor: Tensor, change: (value: number) => number): Tensor =>
  new Tensor(tensor.shape, (index, read) => read(tensor, index).map(change), tensor.dtype)

/** Changes each item, to one that can have another shape. `change` returns a new array: it must not write to the item. */
export const perItem = (
  tensor: Tensor,
  itemShape: readonly number[],
  change: (item: Float32Array, read: Read) => Float32Array,
): Tensor =>
  new Tensor([countOf(tensor), ...itemShape], (index, read) => change(read(tensor, index), read))

/** The items at these positions, in this order. */
export const pick = (tensor: Tensor, indices: readonly number[]): Tensor =>
  new Tensor(
    [indices.length, ...tensor.shape.slice(1)],
    (index, read) => read(tensor, indices[index] as number),
    tensor.dtype,
    tensor.fill,
  )

/** Several tensors one after the other. */
export const join = (tensors: readonly Tensor[]): Tensor => {
  const places = tensors.flatMap((tensor) =>
    Array.from({ length: countOf(tensor) }, (_, index) => [tensor, index] as const),
  )
  const [first] = tensors as readonly [Tensor, ...Tensor[]]
  return new Tensor(
    [places.length, ...first.shape.slice(1)],
    (index, read) => read(...(places[index] as readonly [Tensor, number])),
    first.dtype,
    tensors.every(({ fill }) => fill === first.fill) ? first.fill : undefined,
  )
}

/** All numbers of a tensor. */
export const valuesOf = (tensor: Tensor, read: Read): Float32Array => {
  const size = sizeOf(tensor)
  read.spend(countOf(tensor) * size)
  const values = new Float32Array(countOf(tensor) * size)
  for (let index = 0; index < countOf(tensor); index++)
    values.set(read(tensor, index), index * size)
  return values
}

/** The same numbers in another shape, with as many items or with a first dimension that is split or joined. */
export const reshape = (tensor: Tensor, shape: readonly number[]): Tensor => {
  const size = product(shape.slice(1))
  const own = sizeOf(tensor)
  if (size === own && shape.length > 1)
    return new Tensor(shape, (index, read) => read(tensor, index))
  return new Tensor(shape, (index, read) => {
    const from = index * size
    const values = new Float32Array(shape.length > 1 ? size : (shape[0] as number))
    for (let at = 0; at < values.length;) {
      const place = from + at
      const item = read(tensor, Math.floor(place / own))
      const part = item.subarray(place % own, Math.min(own, (place % own) + values.length - at))
      values.set(part, at)
      at += part.length
    }
    return values
  })
}

/** Whether two shapes are equal. */
export const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((side, at) => side === b[at])
