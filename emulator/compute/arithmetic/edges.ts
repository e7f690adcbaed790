// Edges of pictures: smoothed, differentiated, thinned to the steepest places, and followed from strong to weak ones.

import { Tensor } from '../values/tensor.ts'
import { floatText } from '../../lib/json.ts'
import { raise } from '../values/values.ts'

type Plane = { readonly data: Float32Array; readonly rows: number; readonly columns: number }

/** The neighbours' weighted sum; beyond the edges the nearest number, or the mirrored one. */
function convolve(
  { data, rows, columns }: Plane,
  weights: readonly number[],
  side: number,
  edge: (at: number, side: number) => number,
): Float32Array {
  const radius = (side - 1) / 2
  return Float32Array.from({ length: data.length }, (_, at) => {
    const [y, x] = [Math.floor(at / columns), at % columns]
    let sum = 0
    for (let dy = 0; dy < side; dy++)
      for (let dx = 0; dx < side; dx++) {
        const weight = weights[dy * side + dx]!
        if (weight !== 0)
          sum +=
            weight * data[edge(y + dy - radius, rows) * columns + edge(x + dx - radius, columns)]!
      }
    return sum
  })
}

const nearest = (at: number, side: number): number => Math.min(Math.max(at, 0), side - 1)
const mirrored = (at: number, side: number): number => {
  const place = Math.abs(at)
  return place < side ? place : 2 * (side - 1) - place
}

const BELL_SIDE = 5
const bellLine = [-2, -1, 0, 1, 2].map((place) => Math.exp(-(place * place) / 2))
const bellSum = bellLine.reduce((all, one) => all + one, 0)
const bell = bellLine.flatMap((row) => bellLine.map((one) => (row * one) / (bellSum * bellSum)))
const across = [-1, 0, 1, -2, 0, 2, -1, 0, 1]
const down = [-1, -2, -1, 0, 0, 0, 1, 2, 1]

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

function edgesOf(plane: Plane, low: number, high: number): Float32Array {
  const { rows, columns } = plane
  const smooth = { rows, columns, data: convolve(plane, bell, BELL_SIDE, mirrored) }
  const slopeX = convolve(smooth, across, 3, nearest)
  const slopeY = convolve(smooth, down, 3, nearest)
  const steep = slopeX.map((x, at) => Math.sqrt(x * x + slopeY[at]! ** 2 + 1e-6))
  const valueAt = (y: number, x: number): number =>
    y < 0 || x < 0 || y >= rows || x >= columns ? 0 : steep[y * columns + x]!
  const thin = steep.map((value, at) => {
    const [y, x] = [Math.floor(at / columns), at % columns]
    const eighth = roundEven((Math.atan2(slopeY[at]!, slopeX[at]!) * 180) / Math.PI / 45)
    const [dx, dy] = neighbours[((eighth % 8) + 8) % 8] as readonly [number, number]
    const isPeak = value - valueAt(y + dy, x + dx) > 0 && value - valueAt(y - dy, x - dx) > 0
    return isPeak ? value : 0
  })
  return follow(thin, rows, columns, Math.fround(low), Math.fround(high))
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

const GREY = [0.299, 0.587, 0.114] as const

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
  return new Tensor([count, rows, columns, 3], (index, read) => {
    const item = read(image, index)
    read.spend(rows * columns * 64)
    const grey = Float32Array.from({ length: rows * columns }, (_, at) =>
      channels === 1
        ? item[at]!
        : GREY.reduce((sum, weight, channel) => sum + weight * item[at * 3 + channel]!, 0),
    )
    const found = edgesOf({ data: grey, rows, columns }, low, high)
    return Float32Array.from({ length: found.length * 3 }, (_, at) => found[Math.floor(at / 3)]!)
  })
}
