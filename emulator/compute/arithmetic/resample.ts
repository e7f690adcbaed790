// Scales arrays of rows and columns, as the library of the real server does: the nearest number, linear or cubic between
// centres, or the average of what is covered. Each product and sum is rounded where it is rounded there, because a
// picture of one colour otherwise gets others, by one part of 255.

import { raise } from '../../lib/raised.ts'

/** For each new position: the positions that it depends on, and their weights. */
type Taps = { readonly from: Int32Array; readonly weights: Float32Array; readonly count: number }

const f = Math.fround

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most)

function nearest(from: number, to: number): Taps {
  const scale = Math.fround(from / to)
  const places = Int32Array.from({ length: to }, (_, at) =>
    clamp(Math.floor(Math.fround((at + 0.5) * scale)), from - 1),
  )
  return { from: places, weights: new Float32Array(to).fill(1), count: 1 }
}

/** Where the centre of a new position lies among the centres of the old ones. */
const centreOf = (at: number, scale: number): number => f(scale * (at + 0.5) - 0.5)

function linear(from: number, to: number): Taps {
  const scale = f(from / to)
  const taps = { from: new Int32Array(to * 2), weights: new Float32Array(to * 2), count: 2 }
  for (let at = 0; at < to; at++) {
    const place = from === to ? at : Math.max(0, centreOf(at, scale))
    const first = Math.min(Math.floor(place), from - 1)
    const second = clamp(f(place - first), 1)
    taps.from.set([first, Math.min(first + 1, from - 1)], at * 2)
    taps.weights.set([1 - second, second], at * 2)
  }
  return taps
}

/** The weights of the two nearer and the two further neighbours, by the distance. */
const near = (x: number): number => f(f(f(f(1.25 * x - 2.25) * x) * x) + 1)
const far = (x: number): number => f(f(f(f(-0.75 * x + 3.75) * x - 6) * x) + 3)

function cubic(from: number, to: number): Taps {
  const scale = f(from / to)
  const taps = { from: new Int32Array(to * 4), weights: new Float32Array(to * 4), count: 4 }
  for (let at = 0; at < to; at++) {
    const place = from === to ? at : centreOf(at, scale)
    const first = Math.min(Math.floor(place), from - 1)
    const part = clamp(f(place - first), 1)
    const rest = f(1 - part)
    for (let tap = 0; tap < 4; tap++) taps.from[at * 4 + tap] = clamp(first - 1 + tap, from - 1)
    taps.weights.set([far(f(part + 1)), near(part), near(rest), far(f(rest + 1))], at * 4)
  }
  return taps
}

const methods: Readonly<Record<string, (from: number, to: number) => Taps>> = {
  'nearest-exact': nearest,
  bilinear: linear,
  bicubic: cubic,
}

export const isMethod = (name: string): boolean => Object.hasOwn(methods, name) || name === 'area'

/** Numbers as `outer` times `side` times `inner`: the middle one is scaled. */
type Sides = { readonly outer: number; readonly side: number; readonly inner: number }

/** One side scaled: the products are added up one by one, except the first two, which are rounded together. */
function along(
  data: Float32Array,
  { outer, side, inner }: Sides,
  { from, weights, count }: Taps,
): Float32Array {
  const to = from.length / count
  const scaled = new Float32Array(outer * to * inner)
  for (let block = 0; block < outer; block++)
    for (let at = 0; at < to; at++) {
      const target = (block * to + at) * inner
      const start = (tap: number): number => (block * side + from[at * count + tap]!) * inner
      const first = start(0)
      if (count === 1) {
        for (let place = 0; place < inner; place++) scaled[target + place] = data[first + place]!
        continue
      }
      const [second, w0, w1] = [start(1), weights[at * count]!, weights[at * count + 1]!]
      for (let place = 0; place < inner; place++)
        scaled[target + place] = data[first + place]! * w0 + f(data[second + place]! * w1)
      for (let tap = 2; tap < count; tap++) {
        const [source, weight] = [start(tap), weights[at * count + tap]!]
        for (let place = 0; place < inner; place++)
          scaled[target + place]! += data[source + place]! * weight
      }
    }
  return scaled
}

/** Numbers as planes of rows of columns; each column has `inner` numbers, such as the channels of a pixel. */
export type Planes = {
  readonly planes: number
  readonly rows: number
  readonly columns: number
  readonly inner: number
}

/** Linear between four neighbours together, each with the product of its weights. */
function between(
  data: Float32Array,
  { planes, rows, columns, inner }: Planes,
  down: Taps,
  across: Taps,
): Float32Array {
  const [height, width] = [down.from.length / 2, across.from.length / 2]
  const scaled = new Float32Array(planes * height * width * inner)
  let target = 0
  for (let plane = 0; plane < planes; plane++)
    for (let y = 0; y < height; y++) {
      const upper = (plane * rows + down.from[y * 2]!) * columns
      const lower = (plane * rows + down.from[y * 2 + 1]!) * columns
      const [y0, y1] = [down.weights[y * 2]!, down.weights[y * 2 + 1]!]
      for (let x = 0; x < width; x++) {
        const [left, right] = [across.from[x * 2]!, across.from[x * 2 + 1]!]
        const [x0, x1] = [across.weights[x * 2]!, across.weights[x * 2 + 1]!]
        const [w00, w01, w10, w11] = [f(y0 * x0), f(y0 * x1), f(y1 * x0), f(y1 * x1)]
        for (let place = 0; place < inner; place++) {
          const sum = f(
            data[(upper + left) * inner + place]! * w00 +
              f(data[(upper + right) * inner + place]! * w01),
          )
          scaled[target++] =
            f(sum + data[(lower + left) * inner + place]! * w10) +
            data[(lower + right) * inner + place]! * w11
        }
      }
    }
  return scaled
}

/** The average of all that a new position covers. */
function averaged(
  data: Float32Array,
  { planes, rows, columns, inner }: Planes,
  height: number,
  width: number,
): Float32Array {
  const scaled = new Float32Array(planes * height * width * inner)
  const bounds = (at: number, side: number, to: number): readonly [number, number] => [
    Math.floor((at * side) / to),
    Math.ceil(((at + 1) * side) / to),
  ]
  let target = 0
  for (let plane = 0; plane < planes; plane++)
    for (let y = 0; y < height; y++) {
      const [top, bottom] = bounds(y, rows, height)
      for (let x = 0; x < width; x++) {
        const [left, right] = bounds(x, columns, width)
        for (let place = 0; place < inner; place++) {
          let sum = 0
          for (let row = plane * rows + top; row < plane * rows + bottom; row++)
            for (let column = left; column < right; column++)
              sum = f(sum + data[(row * columns + column) * inner + place]!)
          scaled[target++] = f(sum / (bottom - top)) / (right - left)
        }
      }
    }
  return scaled
}

/** Up to this sum of the new sides, and for more channels, the library weighs four neighbours together. */
const SMALL = 128
const FEW_CHANNELS = 3

export function resample(
  data: Float32Array,
  sides: Planes,
  [height, width]: readonly [height: number, width: number],
  method: string,
): Float32Array {
  const { planes, rows, columns, inner } = sides
  if (rows === height && columns === width) return data
  if (method === 'area') return averaged(data, sides, height, width)
  const tapsOf = methods[method] ?? raise('KeyError', `'${method}'`)
  const [down, across] = [tapsOf(rows, height), tapsOf(columns, width)]
  if (method === 'bilinear' && (height + width <= SMALL || inner > FEW_CHANNELS))
    return between(data, sides, down, across)
  const wide =
    columns === width ? data : along(data, { outer: planes * rows, side: columns, inner }, across)
  if (rows === height) return wide
  return along(wide, { outer: planes, side: rows, inner: width * inner }, down)
}
