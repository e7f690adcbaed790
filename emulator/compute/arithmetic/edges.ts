// Edges of pictures: smoothed, differentiated, thinned to the steepest places, and followed from strong to weak ones.

import { numbers, Tensor } from '../values/tensor.ts'
import { floatText } from '../../lib/json.ts'
import { raise } from '../../lib/raised.ts'
import { checkMirror, mirrored } from './mirror.ts'

type Plane = { readonly data: Float32Array; readonly rows: number; readonly columns: number }

/** The kernel of so many rows and columns. */
type Kernel = { readonly height: number; readonly width: number; readonly weights: Float32Array }

const f = Math.fround

/** The neighbours' weighted sum, added up one by one; beyond the edges the nearest number, or the mirrored one. */
function convolve(
  { data, rows, columns }: Plane,
  { height, width, weights }: Kernel,
  edge: (at: number, side: number) => number,
): Float32Array {
  const [up, left] = [(height - 1) / 2, (width - 1) / 2]
  const places = Int32Array.from({ length: columns + width }, (_, at) => edge(at - left, columns))
  const sums = new Float32Array(data.length)
  for (let y = 0; y < rows; y++)
    for (let dy = 0; dy < height; dy++) {
      const line = edge(y + dy - up, rows) * columns
      for (let dx = 0; dx < width; dx++) {
        const weight = weights[dy * width + dx]!
        for (let x = 0; x < columns; x++)
          sums[y * columns + x]! += weight * data[line + places[x + dx]!]!
      }
    }
  return sums
}

const nearest = (at: number, side: number): number => Math.min(Math.max(at, 0), side - 1)
const bellLine = Float32Array.from([-2, -1, 0, 1, 2], (place) => Math.exp(-(place * place) / 2))
const bellSum = bellLine.reduce((all, one) => f(all + one), 0)
const bell = bellLine.map((one) => one / bellSum)
const bellAcross: Kernel = { height: 1, width: 5, weights: bell }
const bellDown: Kernel = { height: 5, width: 1, weights: bell }
const across: Kernel = {
  height: 3,
  width: 3,
  weights: Float32Array.of(-1, 0, 1, -2, 0, 2, -1, 0, 1),
}
const down: Kernel = { height: 3, width: 3, weights: Float32Array.of(-1, -2, -1, 0, 0, 0, 1, 2, 1) }

/** The neighbour in the direction of the slope, in eighths of a turn. */
const neighbours = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
] as const

/** The steepness of a place without a slope. */
const FLAT = f(Math.sqrt(f(1e-6)))

function edgesOf(plane: Plane, low: number, high: number): Float32Array {
  const { rows, columns } = plane
  const smoothed = { rows, columns, data: convolve(plane, bellAcross, mirrored) }
  const smooth = { rows, columns, data: convolve(smoothed, bellDown, mirrored) }
  const slopeX = convolve(smooth, across, nearest)
  const slopeY = convolve(smooth, down, nearest)
  const steep = slopeX.map((x, at) =>
    Math.sqrt(f(f(f(x * x) + f(slopeY[at]! * slopeY[at]!)) + f(1e-6))),
  )
  /** Whether a place is steeper than its neighbour; to the right and below it may be as steep. */
  const beats = (at: number, direction: number): boolean => {
    const [dx, dy] = neighbours[direction] as readonly [number, number]
    const [y, x] = [Math.floor(at / columns) + dy, (at % columns) + dx]
    const isInside = y >= 0 && x >= 0 && y < rows && x < columns
    const other = isInside ? steep[y * columns + x]! : FLAT
    return steep[at]! > other || (steep[at] === other && (direction === 0 || direction === 2))
  }
  const thin = steep.map((value, at) => {
    if (!(value > FLAT)) return 0
    const eighth = roundEven(f(f(Math.atan2(slopeY[at]!, slopeX[at]!)) * f(4 / Math.PI)))
    const direction = (eighth + 8) % 8
    return beats(at, direction) && beats(at, (direction + 4) % 8) ? value : 0
  })
  return follow(thin, rows, columns, f(low), f(high))
}

function roundEven(value: number): number {
  const rounded = Math.round(value)
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** Strong places, and weak ones that touch them. */
function follow(
  thin: Float32Array,
  rows: number,
  columns: number,
  low: number,
  high: number,
): Float32Array {
  const found = thin.map((value) => (value > high ? 1 : 0))
  const open = [...found.keys()].filter((at) => found[at] === 1)
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [y, x] = [Math.floor(at / columns), at % columns]
    for (const [dx, dy] of neighbours) {
      const [nextX, nextY] = [x + dx, y + dy]
      if (nextX < 0 || nextY < 0 || nextX >= columns || nextY >= rows) continue
      const next = nextY * columns + nextX
      if (found[next] === 1 || thin[next]! <= low) continue
      found[next] = 1
      open.push(next)
    }
  }
  return found
}

const greyOf = (r: number, g: number, b: number): number =>
  f(f(f(r * f(0.299)) + g * f(0.587)) + b * f(0.114))

/** White edges on black. */
export function edges(image: Tensor, low: number, high: number): Tensor {
  const [count = 0, rows = 0, columns = 0, channels = 0] = image.shape
  if (channels !== 1 && channels !== 3)
    raise(
      'kornia.core.exceptions.ImageError',
      `Not a color or gray tensor. Got shape [${count}, ${channels}, ${rows}, ${columns}].\ncanny expects 1 or 3 channels.`,
    )
  if (low > high)
    raise(
      'kornia.core.exceptions.BaseError',
      `Invalid input thresholds. low_threshold should be smaller than or equal to the high_threshold. Got: ${floatText(low)}>${floatText(high)}`,
    )
  if (low <= 0)
    raise(
      'kornia.core.exceptions.BaseError',
      `Invalid low threshold. Should be positive. Got: ${floatText(low)}`,
    )
  checkMirror([count, 1, rows, columns], 2)
  return new Tensor([count, rows, columns, 3], (index, read) => {
    const item = read(image, index)
    read.spend(rows * columns * 64)
    const grey = numbers(rows * columns, (at) =>
      channels === 1 ? item[at]! : greyOf(item[at * 3]!, item[at * 3 + 1]!, item[at * 3 + 2]!),
    )
    const found = edgesOf({ data: grey, rows, columns }, low, high)
    return numbers(found.length * 3, (at) => found[Math.floor(at / 3)]!)
  })
}
