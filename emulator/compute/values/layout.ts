// Parts of tensors, and tensors put together along a side, by position.

import { countOf, join, pick, product, Tensor, valuesOf } from './tensor.ts'
import { raise } from '../../lib/raised.ts'

/** How far apart neighbours along each side of an item are. */
export function stepsOf(shape: readonly number[]): number[] {
  const steps: number[] = []
  let step = 1
  for (const side of shape.toReversed()) {
    steps.unshift(step)
    step *= side
  }
  return steps
}

/** An item whose numbers are those of another at evenly spaced positions. */
function spaced(
  item: Float32Array,
  shape: readonly number[],
  steps: readonly number[],
  start: number,
): Float32Array {
  const values = new Float32Array(product(shape))
  const last = shape.length - 1
  const side = shape[last] ?? 1
  const step = steps[last] ?? 1
  const fill = (at: number, dimension: number, from: number): number => {
    if (dimension === last || last < 0) {
      for (let place = 0; place < side; place++) values[at + place] = item[from + place * step]!
      return at + side
    }
    let place = at
    for (let index = 0; index < (shape[dimension] as number); index++)
      place = fill(place, dimension + 1, from + index * (steps[dimension] as number))
    return place
  }
  if (values.length > 0) fill(0, 0, start)
  return values
}

const remapped = (
  tensor: Tensor,
  shape: readonly number[],
  steps: readonly number[],
  start: number,
): Tensor =>
  new Tensor([countOf(tensor), ...shape], (index, read) =>
    spaced(read(tensor, index), shape, steps, start),
  )

/** A position of Python's slice as one from the start, within the side. */
export const within = (position: number, side: number): number =>
  Math.min(side, Math.max(0, position < 0 ? position + side : position))

/** Python's slice `start:end` of one side. */
export function slice(tensor: Tensor, dimension: number, start: number, end: number): Tensor {
  const side = tensor.shape[dimension] ?? 0
  const from = within(start, side)
  const length = Math.max(0, within(end, side) - from)
  if (length === side) return tensor
  if (dimension === 0)
    return pick(
      tensor,
      Array.from({ length }, (_, at) => from + at),
    )
  const item = tensor.shape.slice(1)
  const steps = stepsOf(item)
  const shape = item.map((own, at) => (at === dimension - 1 ? length : own))
  return remapped(tensor, shape, steps, from * (steps[dimension - 1] as number))
}

/** One side in the opposite order. */
export function flip(tensor: Tensor, dimension: number): Tensor {
  const item = tensor.shape.slice(1)
  const steps = stepsOf(item)
  const start = ((item[dimension - 1] as number) - 1) * (steps[dimension - 1] as number)
  const flipped = steps.map((step, at) => (at === dimension - 1 ? -step : step))
  return remapped(tensor, item, flipped, start)
}

/** Two sides exchanged. */
export function transpose(tensor: Tensor, a: number, b: number): Tensor {
  const item = tensor.shape.slice(1)
  const exchange = (numbers: readonly number[]): number[] =>
    numbers.map((own, at) =>
      at === a - 1 ? numbers[b - 1]! : at === b - 1 ? numbers[a - 1]! : own,
    )
  return remapped(tensor, exchange(item), exchange(stepsOf(item)), 0)
}

/** Quarter turns from side `from` towards side `to`. */
export function rotate(tensor: Tensor, quarters: number, from: number, to: number): Tensor {
  switch (((quarters % 4) + 4) % 4) {
    case 1:
      return transpose(flip(tensor, to), from, to)
    case 2:
      return flip(flip(tensor, from), to)
    case 3:
      return flip(transpose(tensor, from, to), to)
    default:
      return tensor
  }
}

/** Several tensors along one side; the other sides must be equal. */
export function concatenate(tensors: readonly Tensor[], dimension: number): Tensor {
  const [first] = tensors as readonly [Tensor, ...Tensor[]]
  for (const [at, tensor] of tensors.entries()) {
    if (tensor.shape.length !== first.shape.length)
      raise(
        'RuntimeError',
        `Tensors must have same number of dimensions: got ${first.shape.length} and ${tensor.shape.length}`,
      )
    const other = tensor.shape.findIndex(
      (side, place) => place !== dimension && side !== first.shape[place],
    )
    if (other >= 0)
      raise(
        'RuntimeError',
        `Sizes of tensors must match except in dimension ${dimension}. Expected size ${first.shape[other]} but got size ${tensor.shape[other]} for tensor number ${at} in the list.`,
      )
  }
  if (dimension === 0) return join(tensors)
  const side = tensors.reduce((sum, { shape }) => sum + (shape[dimension] as number), 0)
  const shape = first.shape.map((own, at) => (at === dimension ? side : own))
  const inner = product(first.shape.slice(dimension + 1))
  return new Tensor(shape, (index, read) => {
    const parts = tensors.map(
      (tensor) => [read(tensor, index), (tensor.shape[dimension] as number) * inner] as const,
    )
    const values = new Float32Array(product(shape.slice(1)))
    for (let at = 0, block = 0; at < values.length; block++)
      for (const [item, length] of parts) {
        values.set(item.subarray(block * length, (block + 1) * length), at)
        at += length
      }
    return values
  })
}

/** A batch of `count` items: cut, or repeated from the start. */
export function toCount(tensor: Tensor, count: number): Tensor {
  const own = countOf(tensor)
  if (own === count) return tensor
  if (own === 0) raise('ZeroDivisionError', 'division by zero')
  return pick(
    tensor,
    Array.from({ length: count }, (_, at) => at % own),
  )
}

/** The shape of two tensors that are combined number by number, where a side of 1 repeats. */
export function broadcast(a: readonly number[], b: readonly number[]): number[] {
  const length = Math.max(a.length, b.length)
  const side = (shape: readonly number[], at: number): number =>
    shape[at - length + shape.length] ?? 1
  const shape: number[] = []
  for (let at = length - 1; at >= 0; at--) {
    const [one, other] = [side(a, at), side(b, at)]
    if (one !== other && one !== 1 && other !== 1)
      raise(
        'RuntimeError',
        `The size of tensor a (${one}) must match the size of tensor b (${other}) at non-singleton dimension ${at}`,
      )
    shape.unshift(one === 1 ? other : one)
  }
  return shape
}

/** Two tensors combined number by number, where sides of 1 repeat. */
export function combine(a: Tensor, b: Tensor, change: (a: number, b: number) => number): Tensor {
  const shape = broadcast(a.shape, b.shape)
  const [left, right] = [expand(a, shape), expand(b, shape)]
  return new Tensor(shape, (index, read) => {
    const [one, other] = [read(left, index), read(right, index)]
    const values = new Float32Array(one.length)
    for (let at = 0; at < values.length; at++) values[at] = change(one[at]!, other[at]!)
    return values
  })
}

/** A tensor whose sides of 1 are repeated. */
export function expand(tensor: Tensor, shape: readonly number[]): Tensor {
  const own = [...Array<number>(shape.length - tensor.shape.length).fill(1), ...tensor.shape]
  if (own.every((side, at) => side === shape[at]) && own.length === tensor.shape.length)
    return tensor
  const count = own[0] as number
  const isWhole = shape.length > tensor.shape.length
  const item = own.slice(1)
  const steps = stepsOf(item).map((step, at) => (item[at] === 1 ? 0 : step))
  return new Tensor(shape, (index, read) => {
    const source = isWhole ? valuesOf(tensor, read) : read(tensor, count === 1 ? 0 : index)
    return spaced(source, shape.slice(1), steps, 0)
  })
}
