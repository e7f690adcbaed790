// Mosaics of flat blocks of 8 by 8 pixels, of which previews consist. Such blocks cost a JPEG encoder almost nothing,
// and they look like the noise of an unfinished picture.

import type { Mosaic, Pixels } from './pixels.ts'
import { mix } from './random.ts'

/** The side of a cell in pixels, equal to that of the blocks of a JPEG file. */
export const CELL = 8

/** Mixes `cells` (one pixel each) with noise: a `share` of 0 is all noise, 1 is all cells. */
export const mixNoise = (cells: Pixels, share: number, seed: number): Pixels => {
  const data = new Uint8Array(cells.data.length)
  for (let at = 0; at < data.length; at += 4) {
    const bits = mix(seed + at)
    const light = 64 + ((bits & 255) >> 1)
    for (let channel = 0; channel < 3; channel++) {
      const tint = ((bits >>> (8 + channel * 8)) & 255) - 127.5
      const from = cells.data[at + channel]!
      const noise = light + tint * 0.3
      data[at + channel] = noise + (from - noise) * share + 0.5
    }
    data[at + 3] = 255
  }
  return { ...cells, data }
}

/** Averages squares of `side` by `side` cells, from the upper left corner. */
export const coarsen = (cells: Pixels, side: number): Pixels => {
  if (side <= 1) return cells
  const data = new Uint8Array(cells.data.length)
  for (let y = 0; y < cells.height; y += side) {
    for (let x = 0; x < cells.width; x += side) averageSquare(cells, data, x, y, side)
  }
  return { ...cells, data }
}

const averageSquare = (
  { width, height, data }: Pixels,
  out: Uint8Array,
  left: number,
  top: number,
  side: number,
): void => {
  const right = Math.min(left + side, width)
  const bottom = Math.min(top + side, height)
  const count = (right - left) * (bottom - top)
  for (let channel = 0; channel < 4; channel++) {
    let sum = 0
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) sum += data[(y * width + x) * 4 + channel]!
    }
    const average = Math.floor(sum / count + 0.5)
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) out[(y * width + x) * 4 + channel] = average
    }
  }
}

/** The pixels of a mosaic. */
export const expand = ({ width, height, cells }: Mosaic): Pixels => {
  const line = width * 4
  const data = new Uint8Array(line * height)
  for (let row = 0; row < cells.height; row++) {
    const start = row * CELL * line
    for (let at = 0; at < line; at += 4) {
      const from = (row * cells.width + Math.floor(at / (4 * CELL))) * 4
      data[start + at] = cells.data[from]!
      data[start + at + 1] = cells.data[from + 1]!
      data[start + at + 2] = cells.data[from + 2]!
      data[start + at + 3] = cells.data[from + 3]!
    }
    const end = Math.min(start + CELL * line, data.length)
    for (let to = start + line; to < end; to += line) data.copyWithin(to, start, start + line)
  }
  return { width, height, data }
}
