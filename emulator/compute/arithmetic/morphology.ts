// Masks and pictures whose bright parts grow or shrink.

import { perItem, type Tensor } from '../values/tensor.ts'

type Sides = { readonly rows: number; readonly columns: number; readonly inner: number }

/** The largest number (or with `sign` -1 the smallest) among neighbours in a square; nothing outside counts. */
export function spread(
  data: Float32Array,
  { rows, columns, inner }: Sides,
  [before, after]: readonly [number, number],
  sign: 1 | -1,
): Float32Array {
  const along = (from: Float32Array, outer: number, side: number, step: number): Float32Array => {
    const to = new Float32Array(from.length)
    for (let block = 0; block < outer; block++)
      for (let at = 0; at < side; at++)
        for (let place = 0; place < step; place++) {
          const start = block * side * step + place
          let best = from[start + at * step]!
          const last = Math.min(side - 1, at + after)
          for (let other = Math.max(0, at - before); other <= last; other++) {
            const value = from[start + other * step]!
            if (value * sign > best * sign) best = value
          }
          to[start + at * step] = best
        }
    return to
  }
  return along(along(data, 1, rows, columns * inner), rows, columns, inner)
}

/** One step to the four neighbours. */
function cross(data: Float32Array, rows: number, columns: number, sign: 1 | -1): Float32Array {
  const to = data.slice()
  const take = (at: number, other: number): void => {
    if (data[other]! * sign > to[at]! * sign) to[at] = data[other]!
  }
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const at = y * columns + x
      if (y > 0) take(at, at - columns)
      if (y < rows - 1) take(at, at + columns)
      if (x > 0) take(at, at - 1)
      if (x < columns - 1) take(at, at + 1)
    }
  return to
}

const isSame = (a: Float32Array, b: Float32Array): boolean =>
  a.every((value, at) => value === b[at])

/** So many numbers are compared in each step. */
const NEIGHBOURS = 4

/** A mask that grows by so many pixels, or shrinks; with `tapered` without the corners. */
export function grown(mask: Tensor, by: number, tapered: boolean): Tensor {
  const [, rows = 0, columns = 0] = mask.shape
  const sign = by < 0 ? -1 : 1
  return perItem(mask, [rows, columns], (item, read) => {
    let values = item
    for (let step = 0; step < Math.abs(by); step++) {
      read.spend(values.length * NEIGHBOURS)
      const next = tapered
        ? cross(values, rows, columns, sign)
        : spread(values, { rows, columns, inner: 1 }, [1, 1], sign)
      // Nothing changes any more, however often it is repeated.
      if (isSame(next, values)) break
      values = next
    }
    return values
  })
}
