// Scales pictures: bilinear between pixel centres, and an average over the covered area if a side shrinks to less than
// half, so that nothing is skipped.

import type { Pixels } from './pixels.ts'

/** The positions of the samples. A span of 1 covers the whole side; one above 1 reaches beyond its end. */
export type Target = { width: number; height: number; spanX?: number; spanY?: number }

/** For each position of one side: the first source position, how many follow, and their weights. */
type Taps = { first: Int32Array; count: Int32Array; weights: Float64Array; most: number }

/**
 * `pixels` scaled to `target`. Beyond the edge of the source, its last row or column repeats. Returns `pixels` itself
 * if the size is the same.
 */
export const scale = (pixels: Pixels, target: Target): Pixels => {
  const { width, height, spanX = 1, spanY = 1 } = target
  const whole = spanX === 1 && spanY === 1
  if (whole && width === pixels.width && height === pixels.height) return pixels
  const wide = scaleRows(pixels, tapsOf(pixels.width, width, spanX), width)
  const data = scaleColumns(wide, tapsOf(pixels.height, height, spanY), width, height)
  return { width, height, data }
}

const tapsOf = (from: number, to: number, span: number): Taps => {
  const step = (from * span) / to
  const most = step > 2 ? Math.ceil(step) + 1 : 2
  const first = new Int32Array(to)
  const count = new Int32Array(to)
  const taps: Taps = { first, count, weights: new Float64Array(to * most), most }
  for (let place = 0; place < to; place++) {
    if (step > 2) cover(taps, place, place * step, (place + 1) * step, from)
    else between(taps, place, (place + 0.5) * step - 0.5, from)
  }
  return taps
}

/** The weights of an average from `start` to `end`, both clamped to the source. */
const cover = (taps: Taps, place: number, start: number, end: number, from: number): void => {
  const low = Math.min(start, from - 1)
  const high = Math.min(Math.max(end, low + 1), from)
  const first = Math.floor(low)
  const count = Math.min(Math.ceil(high) - first, taps.most)
  taps.first[place] = first
  taps.count[place] = count
  for (let tap = 0; tap < count; tap++) {
    const part = Math.min(high, first + tap + 1) - Math.max(low, first + tap)
    taps.weights[place * taps.most + tap] = part / (high - low)
  }
}

/** The weights of the two neighbours of `position`. */
const between = (taps: Taps, place: number, position: number, from: number): void => {
  const held = Math.min(Math.max(position, 0), from - 1)
  const first = Math.min(Math.floor(held), Math.max(0, from - 2))
  taps.first[place] = first
  taps.count[place] = Math.min(2, from)
  taps.weights[place * 2] = 1 - (held - first)
  taps.weights[place * 2 + 1] = held - first
}

const scaleRows = (pixels: Pixels, taps: Taps, width: number): Float32Array => {
  const { data, height } = pixels
  const out = new Float32Array(width * height * 4)
  for (let y = 0, to = 0; y < height; y++) {
    const row = y * pixels.width
    for (let x = 0; x < width; x++, to += 4) {
      let from = (row + taps.first[x]!) * 4
      const end = x * taps.most + taps.count[x]!
      for (let tap = x * taps.most; tap < end; tap++, from += 4) {
        const weight = taps.weights[tap]!
        out[to]! += data[from]! * weight
        out[to + 1]! += data[from + 1]! * weight
        out[to + 2]! += data[from + 2]! * weight
        out[to + 3]! += data[from + 3]! * weight
      }
    }
  }
  return out
}

const scaleColumns = (
  rows: Float32Array,
  taps: Taps,
  width: number,
  height: number,
): Uint8Array => {
  const line = width * 4
  const sums = new Float64Array(line)
  const out = new Uint8Array(line * height)
  for (let y = 0; y < height; y++) {
    // The half that rounds. The sums stay below 256 because the weights of a place add up to 1.
    sums.fill(0.5)
    for (let tap = 0; tap < taps.count[y]!; tap++) {
      const weight = taps.weights[y * taps.most + tap]!
      const from = (taps.first[y]! + tap) * line
      for (let at = 0; at < line; at++) sums[at]! += rows[from + at]! * weight
    }
    out.set(sums, y * line)
  }
  return out
}
