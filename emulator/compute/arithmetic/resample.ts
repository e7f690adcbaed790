// Scales arrays along one side, as the library of the real server does: the nearest number, linear or cubic between
// centres, or the average of what is covered.

import { raise } from '../values/values.ts'

/** For each new position: the positions that it depends on, and their weights. */
type Taps = { readonly from: Int32Array; readonly weights: Float32Array; readonly count: number }

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most)

function nearest(from: number, to: number): Taps {
  const scale = Math.fround(from / to)
  const places = Int32Array.from({ length: to }, (_, at) =>
    clamp(Math.floor(Math.fround((at + 0.5) * scale)), from - 1),
  )
  return { from: places, weights: new Float32Array(to).fill(1), count: 1 }
}

function linear(from: number, to: number): Taps {
  const scale = Math.fround(from / to)
  const taps = { from: new Int32Array(to * 2), weights: new Float32Array(to * 2), count: 2 }
  for (let at = 0; at < to; at++) {
    const place = Math.max(0, Math.fround(Math.fround(scale * (at + 0.5)) - 0.5))
    const first = Math.min(Math.floor(place), from - 1)
    const second = Math.fround(place - first)
    taps.from.set([first, Math.min(first + 1, from - 1)], at * 2)
    taps.weights.set([1 - second, second], at * 2)
  }
  return taps
}

const STEEPNESS = -0.75
const near = (x: number): number => ((STEEPNESS + 2) * x - (STEEPNESS + 3)) * x * x + 1
const far = (x: number): number =>
  ((STEEPNESS * x - 5 * STEEPNESS) * x + 8 * STEEPNESS) * x - 4 * STEEPNESS

function cubic(from: number, to: number): Taps {
  const scale = Math.fround(from / to)
  const taps = { from: new Int32Array(to * 4), weights: new Float32Array(to * 4), count: 4 }
  for (let at = 0; at < to; at++) {
    const place = Math.fround(Math.fround(scale * (at + 0.5)) - 0.5)
    const first = Math.floor(place)
    const part = Math.fround(place - first)
    for (let tap = 0; tap < 4; tap++) taps.from[at * 4 + tap] = clamp(first - 1 + tap, from - 1)
    taps.weights.set([far(part + 1), near(part), near(1 - part), far(2 - part)], at * 4)
  }
  return taps
}

function covered(from: number, to: number): Taps {
  const most = Math.ceil(from / to) + 1
  const taps = {
    from: new Int32Array(to * most),
    weights: new Float32Array(to * most),
    count: most,
  }
  for (let at = 0; at < to; at++) {
    const start = Math.floor((at * from) / to)
    const end = Math.ceil(((at + 1) * from) / to)
    for (let tap = 0; tap < most; tap++) {
      taps.from[at * most + tap] = Math.min(start + tap, end - 1)
      taps.weights[at * most + tap] = start + tap < end ? 1 / (end - start) : 0
    }
  }
  return taps
}

const methods: Readonly<Record<string, (from: number, to: number) => Taps>> = {
  'nearest-exact': nearest,
  bilinear: linear,
  bicubic: cubic,
  area: covered,
}

export const isMethod = (name: string): boolean => Object.hasOwn(methods, name)

/** Numbers as `outer` times `side` times `inner`: the middle one is scaled. */
export type Sides = { readonly outer: number; readonly side: number; readonly inner: number }

export function resample(
  data: Float32Array,
  { outer, side, inner }: Sides,
  to: number,
  method: string,
): Float32Array {
  if (side === to) return data
  const { from, weights, count } = methods[method]?.(side, to) ?? raise('KeyError', `'${method}'`)
  const scaled = new Float32Array(outer * to * inner)
  for (let block = 0; block < outer; block++) {
    for (let at = 0; at < to; at++) {
      const target = (block * to + at) * inner
      for (let tap = at * count; tap < (at + 1) * count; tap++) {
        const weight = weights[tap]!
        if (weight === 0) continue
        const source = (block * side + from[tap]!) * inner
        for (let place = 0; place < inner; place++)
          scaled[target + place]! += data[source + place]! * weight
      }
    }
  }
  return scaled
}
