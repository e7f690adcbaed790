// Masks and pictures whose bright parts grow or shrink.

import { perItem, type Tensor } from '../values/tensor.ts'

type Sides = { readonly rows: number; readonly columns: number; readonly inner: number }

type Reach = readonly [before: number, after: number]

/** There is nothing further away than the other end. */
const within = ([before, after]: Reach, side: number): Reach => [
  Math.min(before, side),
  Math.min(after, side),
]

/** The largest number (or with `sign` -1 the smallest) among neighbours in a square; nothing outside counts. */
export function spread(
  data: Float32Array,
  { rows, columns, inner }: Sides,
  reach: Reach,
  sign: 1 | -1,
): Float32Array {
  const to = data.slice()
  if (sign < 0) negate(to)
  const [across, down] = [within(reach, columns), within(reach, rows)]
  for (let at = 0; at < to.length; at += columns * inner)
    for (let place = 0; place < inner; place++) slide(to, at + place, columns, inner, across)
  for (let place = 0; place < columns * inner; place++)
    slide(to, place, rows, columns * inner, down)
  if (sign < 0) negate(to)
  return to
}

const negate = (values: Float32Array): void => {
  for (let at = 0; at < values.length; at++) values[at] = -values[at]!
}

/**
 * The largest number from `before` to `after` places away, for each number of a line: the larger of what a part of so
 * many places has from here to its end, and the next part from its start to here.
 */
function slide(
  values: Float32Array,
  start: number,
  side: number,
  step: number,
  [before, after]: Reach,
): void {
  const length = before + after + 1
  const padded = side + length - 1
  const [fromStart, toEnd] = [new Float32Array(padded), new Float32Array(padded)]
  const valueAt = (at: number): number =>
    at < before || at >= before + side ? -Infinity : values[start + (at - before) * step]!
  for (let at = 0; at < padded; at++) {
    const value = valueAt(at)
    fromStart[at] = at % length === 0 ? value : Math.max(fromStart[at - 1]!, value)
  }
  for (let at = padded - 1; at >= 0; at--) {
    const value = valueAt(at)
    const isEnd = at === padded - 1 || at % length === length - 1
    toEnd[at] = isEnd ? value : Math.max(toEnd[at + 1]!, value)
  }
  for (let at = 0; at < side; at++)
    values[start + at * step] = Math.max(toEnd[at]!, fromStart[at + length - 1]!)
}

/** One step to the four neighbours, upwards. Returns whether something has changed. */
function cross(data: Float32Array, to: Float32Array, rows: number, columns: number): boolean {
  let changes = false
  for (let y = 0; y < rows; y++) {
    const line = y * columns
    const above = y > 0 ? line - columns : line
    const below = y < rows - 1 ? line + columns : line
    for (let x = 0; x < columns; x++) {
      const own = data[line + x]!
      let best = own
      if (data[above + x]! > best) best = data[above + x]!
      if (data[below + x]! > best) best = data[below + x]!
      if (x > 0 && data[line + x - 1]! > best) best = data[line + x - 1]!
      if (x < columns - 1 && data[line + x + 1]! > best) best = data[line + x + 1]!
      if (best > own) changes = true
      to[line + x] = best
    }
  }
  return changes
}

/** So many numbers are compared in each step. */
const NEIGHBOURS = 4

/** A mask that grows by so many pixels, or shrinks; with `tapered` without the corners. */
export function grown(mask: Tensor, by: number, tapered: boolean): Tensor {
  const [, rows = 0, columns = 0] = mask.shape
  const sign = by < 0 ? -1 : 1
  const most = Math.min(Math.abs(by), rows + columns)
  return perItem(mask, [rows, columns], (item, read) => {
    if (!tapered) return spread(item, { rows, columns, inner: 1 }, [most, most], sign)
    let [values, next] = [item.slice(), new Float32Array(item.length)]
    if (sign < 0) negate(values)
    // When nothing changes any more, it is the same however often it is repeated.
    for (let step = 0, changes = true; step < most && changes; step++) {
      read.spend(values.length * NEIGHBOURS)
      changes = cross(values, next, rows, columns)
      ;[values, next] = [next, values]
    }
    if (sign < 0) negate(values)
    return values
  })
}
