// Replaces or fades parts of tensors, as an assignment to a slice does in Python.

import { expand, slice, stepsOf, within } from './layout.ts'
import { product, Tensor } from './tensor.ts'
import { raise } from '../../lib/raised.ts'

/** Raises the exception for an assignment to a part of another shape. */
export function checkTarget(target: readonly number[], source: readonly number[]): void {
  // torch leaves out sides of 1 in front.
  const first = source.findIndex((side) => side !== 1)
  const shown = source.slice(first < 0 ? source.length : first)
  if (shown.length > target.length)
    raise(
      'RuntimeError',
      `expand(torch.FloatTensor{[${shown.join(', ')}]}, size=[${target.join(', ')}]): the number of sizes provided (${target.length}) must be greater or equal to the number of dimensions in the tensor (${shown.length})`,
    )
  for (let at = target.length - 1; at >= 0; at--) {
    const [wanted, given] = [target[at] as number, source[at - target.length + source.length] ?? 1]
    if (wanted === given || given === 1) continue
    raise(
      'RuntimeError',
      `The expanded size of the tensor (${wanted}) must match the existing size (${given}) at non-singleton dimension ${at}.  Target sizes: [${target.join(', ')}].  Tensor sizes: [${shown.join(', ')}]`,
    )
  }
}

/** A part of rows and columns: Python's `start:end` of the last two sides. */
export type Part = {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** The part of a tensor. */
export const partOf = (tensor: Tensor, { top, bottom, left, right }: Part): Tensor => {
  const dimensions = tensor.shape.length
  return slice(slice(tensor, dimensions - 2, top, bottom), dimensions - 1, left, right)
}

/** The tensor with its part replaced by another one, which repeats along sides of 1. */
export function withPart(tensor: Tensor, part: Part, source: Tensor): Tensor {
  const { shape } = tensor
  const [rows = 0, columns = 0] = shape.slice(-2)
  const [top, left] = [within(part.top, rows), within(part.left, columns)]
  const height = Math.max(0, within(part.bottom, rows) - top)
  const width = Math.max(0, within(part.right, columns) - left)
  const target = [...shape.slice(0, -2), height, width]
  checkTarget(target, source.shape)
  const whole = expand(source, target)
  return new Tensor(shape, (index, read) => {
    const values = read(tensor, index).slice()
    const item = read(whole, index)
    const planes = product(target.slice(1, -2))
    for (let plane = 0; plane < planes; plane++)
      for (let y = 0; y < height; y++) {
        const from = (plane * height + y) * width
        values.set(item.subarray(from, from + width), (plane * rows + top + y) * columns + left)
      }
    return values
  })
}

/** Rows or columns multiplied, each by a separate factor. */
export function faded(
  tensor: Tensor,
  dimension: number,
  factors: readonly (readonly [position: number, factor: number])[],
): Tensor {
  if (factors.length === 0) return tensor
  const item = tensor.shape.slice(1)
  const step = stepsOf(item)[dimension - 1] as number
  const side = item[dimension - 1] as number
  return new Tensor(tensor.shape, (index, read) => {
    const values = read(tensor, index).slice()
    for (const [position, factor] of factors)
      for (let block = 0; block < values.length; block += side * step)
        for (let at = 0; at < step; at++)
          values[block + position * step + at]! *= Math.fround(factor)
    return values
  })
}
