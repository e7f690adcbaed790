// Weighted sums of neighbours by a bell-shaped kernel, to blur and to sharpen. Small ones are added up in the order of
// the library of the real server, with its rounding; large ones are done one side after the other.

import { mirrored } from './mirror.ts'
import { checkLength, type Read } from '../values/tensor.ts'
import { raise } from '../values/values.ts'

const f = Math.fround

export type Kernel = {
  readonly side: number
  readonly weights: Float32Array
  /** The same weights as a sum: so much of the number itself, and so much of a bell, whose line this is. */
  readonly own: number
  readonly share: number
  readonly line: Float64Array
}

const COLUMNS = 32
const LANES = 8
const STEP = 16

/** A sum of float32 numbers in the order of the library: in columns, whose sums of sixteen rows are added in turn. */
export function sumOf(values: Float32Array): number {
  const rows = Math.floor(values.length / COLUMNS)
  const levels = Array.from({ length: 4 }, () => new Float32Array(COLUMNS))
  const [sums] = levels as [Float32Array, ...Float32Array[]]
  for (let row = 0; row < rows; row++) {
    for (let at = 0; at < COLUMNS; at++) sums[at]! += values[row * COLUMNS + at]!
    for (let level = 1, step = STEP; level < levels.length; level++, step *= STEP) {
      if ((row + 1) % step !== 0) break
      const [below, above] = [levels[level - 1]!, levels[level]!]
      for (let at = 0; at < COLUMNS; at++) above[at]! += below[at]!
      below.fill(0)
    }
  }
  for (const level of levels.slice(1)) level.forEach((one, at) => (sums[at]! += one))
  const whole = Math.floor(values.length / LANES) * LANES
  for (let at = rows * COLUMNS; at < whole; at++) sums[at % LANES]! += values[at]!
  for (let at = LANES; at < COLUMNS; at++) sums[at % LANES]! += sums[at]!
  let sum = 0
  for (let at = whole; at < values.length; at++) sum = f(sum + values[at]!)
  for (let at = 0; at < LANES; at++) sum = f(sum + sums[at]!)
  return sum
}

/** So many places from -1 to 1, the second half counted from the end. */
function places(side: number): Float32Array {
  const step = f(2 / (side - 1))
  return Float32Array.from({ length: side }, (_, at) =>
    at < side >> 1 ? step * at - 1 : 1 - step * (side - 1 - at),
  )
}

/** A bell of so many places, which reaches from -1 to 1; its weights add up to 1. */
export function bell(side: number, sigma: number): Kernel {
  if (side < 0) raise('RuntimeError', 'number of steps must be non-negative')
  checkLength(side * side)
  const squares = places(side).map((place) => place * place)
  const width = f(2 * sigma * sigma)
  const raw = Float32Array.from({ length: side * side }, (_, at) => {
    const distance = f(Math.sqrt(f(squares[Math.floor(at / side)]! + squares[at % side]!)))
    return Math.exp(f(-f(distance * distance) / width))
  })
  const sum = sumOf(raw)
  const flanks = Float64Array.from(squares, (square) => Math.exp(-square / width))
  const total = flanks.reduce((all, one) => all + one, 0)
  return {
    side,
    weights: raw.map((one) => one / sum),
    own: 0,
    share: 1,
    line: flanks.map((one) => one / total),
  }
}

/** A kernel that sharpens: the bell is taken away from the middle. */
export function sharpening(side: number, sigma: number, strength: number): Kernel {
  const kernel = bell(side, sigma)
  const weights = kernel.weights.map((one) => one * f(-strength))
  const centre = (weights.length - 1) / 2
  weights[centre] = f(weights[centre]! - sumOf(weights)) + 1
  return { ...kernel, weights, own: 1 + strength, share: -strength }
}

type Sides = {
  readonly rows: number
  readonly columns: number
  readonly inner: number
  readonly planes: number
}

/** Beyond so many products the order of the sums no longer counts. */
const MOST_PRODUCTS = 2 ** 27

/** Each number as the weighted sum of its neighbours; beyond the edges the picture is mirrored. */
export function filter(data: Float32Array, kernel: Kernel, sides: Sides, read: Read): Float32Array {
  const { side, weights } = kernel
  if (data.length * weights.length > MOST_PRODUCTS) return filterLines(data, kernel, sides, read)
  read.spend(data.length * weights.length)
  const { rows, columns, inner, planes } = sides
  const radius = (side - 1) / 2
  const wide = widened(data, sides, radius)
  const [width, length] = [(columns + 2 * radius) * inner, columns * inner]
  const filtered = new Float32Array(data.length)
  for (let line = 0; line < planes * rows; line++) {
    const [plane, y] = [Math.floor(line / rows), line % rows]
    const sums = filtered.subarray(line * length, (line + 1) * length)
    for (let dy = 0; dy < side; dy++) {
      const from = (plane * rows + mirrored(y + dy - radius, rows)) * width
      for (let dx = 0; dx < side; dx++) {
        const [weight, start] = [weights[dy * side + dx]!, from + dx * inner]
        for (let at = 0; at < length; at++) sums[at]! += weight * wide[start + at]!
      }
    }
  }
  return filtered
}

/** Lines that continue beyond both ends, mirrored. */
function widened(data: Float32Array, { columns, inner }: Sides, radius: number): Float32Array {
  const [length, width] = [columns * inner, (columns + 2 * radius) * inner]
  const lines = data.length / length
  const wide = new Float32Array(lines * width)
  for (let x = -radius; x < columns + radius; x++) {
    const from = mirrored(x, columns) * inner
    for (let line = 0, to = (x + radius) * inner; line < lines; line++, to += width)
      for (let place = 0; place < inner; place++)
        wide[to + place] = data[line * length + from + place]!
  }
  return wide
}

/** The same by lines, then by columns of lines. */
function filterLines(
  data: Float32Array,
  { side, line, own, share }: Kernel,
  sides: Sides,
  read: Read,
): Float32Array {
  read.spend(data.length * side * 2)
  const { rows, columns, inner } = sides
  const radius = (side - 1) / 2
  const wide = widened(data, sides, radius)
  const [width, length] = [(columns + 2 * radius) * inner, columns * inner]
  const blurred = new Float32Array(data.length)
  const sums = new Float64Array(length)
  for (let from = 0, to = 0; to < data.length; from += width, to += length) {
    sums.fill(0)
    for (let dx = 0; dx < side; dx++)
      for (let at = 0, place = from + dx * inner; at < length; at++)
        sums[at]! += line[dx]! * wide[place++]!
    blurred.set(sums, to)
  }
  const filtered = new Float32Array(data.length)
  for (let to = 0; to < data.length; to += length) {
    const [start, y] = [Math.floor(to / length / rows) * rows, (to / length) % rows]
    sums.fill(0)
    for (let dy = 0; dy < side; dy++) {
      const from = (start + mirrored(y + dy - radius, rows)) * length
      for (let at = 0; at < length; at++) sums[at]! += line[dy]! * blurred[from + at]!
    }
    for (let at = 0; at < length; at++) filtered[to + at] = own * data[to + at]! + share * sums[at]!
  }
  return filtered
}
