// Lanczos scaling of colours in 8 bits, as the picture library of the real server does it: one side after the other,
// each rounded to whole numbers.

import { numbers } from '../values/tensor.ts'

const RADIUS = 3
/** The weights are whole numbers of this part of 1. */
const UNIT = 2 ** 22

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
const lanczos = (x: number): number => (Math.abs(x) < RADIUS ? sinc(x) * sinc(x / RADIUS) : 0)

type Taps = { readonly first: number; readonly weights: Float64Array }

function tapsOf(from: number, to: number): readonly Taps[] {
  const scale = from / to
  const stretch = Math.max(scale, 1)
  const reach = RADIUS * stretch
  return Array.from({ length: to }, (_, at) => {
    const centre = (at + 0.5) * scale
    const first = Math.max(0, Math.trunc(centre - reach + 0.5))
    const end = Math.min(from, Math.trunc(centre + reach + 0.5))
    const raw = Array.from({ length: end - first }, (_, tap) =>
      lanczos((tap + first - centre + 0.5) / stretch),
    )
    const sum = raw.reduce((all, one) => all + one, 0)
    const weights = Float64Array.from(raw, (one) => {
      const weight = (sum === 0 ? one : one / sum) * UNIT
      return Math.trunc(weight < 0 ? weight - 0.5 : weight + 0.5)
    })
    return { first, weights }
  })
}

/** One side scaled; the numbers are bytes, as `outer` times `side` times `inner`. */
function scaleSide(
  bytes: Uint8Array,
  outer: number,
  side: number,
  inner: number,
  to: number,
): Uint8Array {
  if (side === to) return bytes
  const taps = tapsOf(side, to)
  const scaled = new Uint8Array(outer * to * inner)
  for (let block = 0; block < outer; block++) {
    for (let at = 0; at < to; at++) {
      const { first, weights } = taps[at] as Taps
      const start = (block * side + first) * inner
      for (let place = 0; place < inner; place++) {
        let sum = UNIT / 2
        for (let tap = 0, from = start + place; tap < weights.length; tap++, from += inner)
          sum += bytes[from]! * weights[tap]!
        scaled[(block * to + at) * inner + place] =
          sum < 0 ? 0 : Math.min(255, Math.floor(sum / UNIT))
      }
    }
  }
  return scaled
}

const byteOf = (value: number): number =>
  Math.trunc(Math.min(255, Math.max(0, Math.fround(255 * value)))) || 0

/** (a * b) / 255, rounded as the library does. */
function share(a: number, b: number): number {
  const product = a * b + 128
  return ((product >> 8) + product) >> 8
}

const shares = (bytes: Uint8Array): Float32Array => numbers(bytes.length, (at) => bytes[at]! / 255)

/** Colours of `channels` numbers from 0 to 1, scaled. Colours with alpha are weighted by it. */
export function scaleLanczos(
  data: Float32Array,
  channels: number,
  [height, width]: readonly [number, number],
  [newHeight, newWidth]: readonly [number, number],
): Float32Array {
  let bytes = new Uint8Array(data.length)
  for (let at = 0; at < data.length; at++) bytes[at] = byteOf(data[at]!)
  if (height === newHeight && width === newWidth) return shares(bytes)
  if (channels === 4)
    bytes = bytes.map((value, at) => (at % 4 === 3 ? value : share(value, bytes[at | 3]!)))
  const across = (from: Uint8Array, rows: number): Uint8Array =>
    scaleSide(from, rows, width, channels, newWidth)
  const down = (from: Uint8Array, columns: number): Uint8Array =>
    scaleSide(from, 1, height, columns * channels, newHeight)
  // The columns come first where they lose more than twice what the rows lose.
  const isDownFirst = newHeight < height && 2 * (width - newWidth) < height - newHeight
  let scaled = isDownFirst
    ? across(down(bytes, width), newHeight)
    : down(across(bytes, height), newWidth)
  if (channels === 4) {
    const premultiplied = scaled
    scaled = scaled.map((value, at) => {
      const alpha = premultiplied[at | 3]!
      if (at % 4 === 3 || alpha === 0 || alpha === 255) return value
      return Math.min(255, Math.trunc((255 * value) / alpha))
    })
  }
  return shares(scaled)
}
