// Pictures with few colours: a palette by median cut, and each pixel as the nearest of its colours, with or without
// spreading the error.

import { fromBytes } from './lanczos.ts'
import type { Inputs } from '../values/inputs.ts'
import { type Read, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { misused, type Value } from '../values/values.ts'

/** The colours of a picture as 0xRRGGBB, each once, and how many pixels have them. Boxes are parts of these lists. */
type Colours = { readonly keys: Uint32Array; readonly counts: Uint32Array }

/** A group of colours, and how many pixels have them; perhaps cut in two parts. */
type Box = {
  readonly from: number
  readonly to: number
  readonly pixels: number
  parts?: readonly [Box, Box]
}

/** How much a difference in a channel counts. */
const WEIGHTS = [77, 150, 29] as const
const SHIFTS = [16, 8, 0] as const

function coloursOf(bytes: Uint8Array): Colours {
  const all = new Uint32Array(bytes.length / 3)
  for (let at = 0; at < all.length; at++)
    all[at] = (bytes[at * 3]! << 16) | (bytes[at * 3 + 1]! << 8) | bytes[at * 3 + 2]!
  all.sort()
  const [keys, counts] = [new Uint32Array(all.length), new Uint32Array(all.length)]
  let last = -1
  for (const key of all) {
    if (last < 0 || keys[last] !== key) keys[++last] = key
    counts[last]!++
  }
  return { keys: keys.subarray(0, last + 1), counts: counts.subarray(0, last + 1) }
}

/** The position of the longest side of a box in its colours, or undefined if it has one colour. */
function longestSide({ keys }: Colours, { from, to }: Box): number | undefined {
  let [longest, shift]: [number, number | undefined] = [0, undefined]
  for (const [axis, place] of SHIFTS.entries()) {
    let [least, most] = [255, 0]
    for (let at = from; at < to; at++) {
      const value = (keys[at]! >> place) & 255
      if (value < least) least = value
      if (value > most) most = value
    }
    const length = (most - least) * (WEIGHTS[axis] as number)
    if (length > longest) [longest, shift] = [length, place]
  }
  return shift
}

/** A box cut in two at the median of its longest side; undefined if it has one colour. Equal values stay together. */
function split(colours: Colours, box: Box): readonly [Box, Box] | undefined {
  const shift = longestSide(colours, box)
  if (shift === undefined) return undefined
  const { keys, counts } = colours
  const { from, to, pixels } = box
  const sums = new Float64Array(256)
  for (let at = from; at < to; at++) sums[(keys[at]! >> shift) & 255]! += counts[at]!
  let [left, value] = [0, 256]
  while (left * 2 <= pixels) left += sums[--value]!
  // The least value stays on the right in any case.
  if (left === pixels) left -= sums[value++]!
  let cut = from
  for (let at = from; at < to; at++) {
    const [key, count] = [keys[at]!, counts[at]!]
    if (((key >> shift) & 255) < value) continue
    ;[keys[at], counts[at]] = [keys[cut]!, counts[cut]!]
    ;[keys[cut], counts[cut]] = [key, count]
    cut++
  }
  return [
    { from, to: cut, pixels: left },
    { from: cut, to, pixels: pixels - left },
  ]
}

/** The boxes with the most pixels come first. */
class Heap {
  readonly items: Box[] = []

  add(box: Box): void {
    const { items } = this
    let at = items.push(box) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((items[parent] as Box).pixels >= box.pixels) break
      items[at] = items[parent] as Box
      at = parent
    }
    items[at] = box
  }

  take(): Box | undefined {
    const { items } = this
    const [first] = items
    const last = items.pop()
    if (first === undefined || last === undefined || items.length === 0) return first
    let at = 0
    for (let child = 1; child < items.length; child = at * 2 + 1) {
      if (
        child + 1 < items.length &&
        (items[child + 1] as Box).pixels > (items[child] as Box).pixels
      )
        child++
      if ((items[child] as Box).pixels < last.pixels) break
      items[at] = items[child] as Box
      at = child
    }
    items[at] = last
    return first
  }
}

type Rgb = readonly [number, number, number]

/** A colour is sorted again for each box that it is in: it counts as so many numbers. */
const COLOUR = 512

/** The mean colours of so many boxes. */
export function palette(
  bytes: Uint8Array,
  most: number,
  spend: Read['spend'] = () => undefined,
): readonly Rgb[] {
  const colours = coloursOf(bytes)
  spend(colours.keys.length * COLOUR)
  const whole: Box = { from: 0, to: colours.keys.length, pixels: bytes.length / 3 }
  const open = new Heap()
  open.add(whole)
  for (let count = 1; count < most;) {
    const box = open.take()
    if (box === undefined) break
    const parts = split(colours, box)
    if (parts === undefined) continue
    box.parts = parts
    for (const part of parts) open.add(part)
    count++
  }
  return boxesOf(whole).map((box) => meanOf(colours, box))
}

/** The boxes that are not cut. Their order counts where two colours are as near. */
const boxesOf = (box: Box): readonly Box[] => box.parts?.flatMap(boxesOf) ?? [box]

const meanOf = ({ keys, counts }: Colours, { from, to, pixels }: Box): Rgb => {
  const mean = (shift: number): number => {
    let sum = 0
    for (let at = from; at < to; at++) sum += ((keys[at]! >> shift) & 255) * counts[at]!
    return Math.trunc(0.5 + sum / pixels)
  }
  return [mean(16), mean(8), mean(0)]
}

/** The nearest colour of a palette. Colours are compared by their upper six bits, as the library does. */
function createNearest(colours: readonly Rgb[]): (r: number, g: number, b: number) => Rgb {
  const known = new Int16Array(2 ** 18).fill(-1)
  const values = Int32Array.from(colours.flat())
  const find = (r: number, g: number, b: number): number => {
    let [best, least] = [0, Infinity]
    for (let at = 0; at < values.length; at += 3) {
      const distance =
        (values[at]! - r) ** 2 + (values[at + 1]! - g) ** 2 + (values[at + 2]! - b) ** 2
      if (distance < least) [best, least] = [at / 3, distance]
    }
    return best
  }
  return (r, g, b) => {
    const key = ((r >> 2) << 12) | ((g >> 2) << 6) | (b >> 2)
    if (known[key]! < 0) known[key] = find(r & 252, g & 252, b & 252)
    return colours[known[key]!] as Rgb
  }
}

const clampByte = (value: number): number => Math.min(255, Math.max(0, value))

type Paint = (bytes: Uint8Array, colours: readonly Rgb[], width: number) => Uint8Array

const plain: Paint = (bytes, colours) => {
  const nearest = createNearest(colours)
  const painted = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at += 3)
    painted.set(nearest(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!), at)
  return painted
}

/** The error of each pixel goes on to its neighbours: 7, 3, 5 and 1 sixteenths. */
const diffused: Paint = (bytes, colours, width) => {
  const nearest = createNearest(colours)
  const painted = new Uint8Array(bytes.length)
  const errors = new Int32Array((width + 1) * 3)
  for (let row = 0; row < bytes.length; row += width * 3) {
    const carry = [0, 0, 0]
    const below = [0, 0, 0]
    const beside = [0, 0, 0]
    for (let x = 0; x < width; x++) {
      const at = row + x * 3
      const own = [0, 1, 2].map((axis) =>
        clampByte(
          bytes[at + axis]! + Math.trunc((carry[axis]! + errors[(x + 1) * 3 + axis]!) / 16),
        ),
      ) as [number, number, number]
      const colour = nearest(...own)
      painted.set(colour, at)
      for (let axis = 0; axis < 3; axis++) {
        const error = own[axis]! - colour[axis]!
        errors[x * 3 + axis] = beside[axis]! + error * 3
        beside[axis] = below[axis]! + error * 5
        below[axis] = error
        carry[axis] = error * 7
      }
    }
    // The library keeps the errors of the last channel for all three here.
    errors.set([beside[2]!, below[2]!, below[2]!], width * 3)
  }
  return painted
}

/** The thresholds of an ordered dither, around 0. */
function thresholds(order: number): readonly (readonly number[])[] {
  let matrix: readonly (readonly number[])[] = [[0]]
  for (let side = 2, share = 4; side <= order; side *= 2, share *= 4) {
    const part = (more: number): number[][] =>
      matrix.map((row) => row.map((one) => one + more / share))
    const beside = (a: readonly number[][], b: readonly number[][]): number[][] =>
      a.map((row, at) => [...row, ...(b[at] as number[])])
    matrix = [...beside(part(-1.5), part(0.5)), ...beside(part(1.5), part(-0.5))]
  }
  return matrix
}

/** Each pixel is moved by a threshold first, the further the fewer colours there are. */
const ordered =
  (order: number): Paint =>
  (bytes, colours, width) => {
    const matrix = thresholds(order)
    const side = matrix.length
    const reach = 512 / colours.length
    const steps = matrix.map((row) => row.map((one) => reach * one + 0.5))
    const moved = bytes.map((value, at) => {
      const pixel = Math.floor(at / 3)
      const row = steps[Math.floor(pixel / width) % side] as readonly number[]
      return Math.trunc(clampByte(Math.fround(value + (row[(pixel % width) % side] as number))))
    })
    return plain(moved, colours, width)
  }

const byteOf = (value: number): number => Math.trunc(Math.fround(value * 255)) & 255

/** So many colours are compared with the palette: only their upper bits count. */
const MOST_COMPARED = 2 ** 18

export function quantise({ tensor, number, value }: Inputs): readonly Tensor[] {
  const image = tensor('image', '.shape')
  const [count = 0, rows = 0, columns = 0, channels = 0] = image.shape
  if (count === 0) return [image]
  if (channels !== 3) raise('ValueError', 'Invalid mode for data type')
  const most = number('colors')
  const dither = value('dither')
  if (rows === 0 || columns === 0) return emptyPalette(dither)
  if (most < 1 || most > 256) raise('ValueError', 'bad number of colors')
  const paint = painterOf(dither)
  return [
    new Tensor(image.shape, (index, read) => {
      const item = read(image, index)
      const bytes = new Uint8Array(item.length)
      for (let at = 0; at < item.length; at++) bytes[at] = byteOf(item[at]!)
      read.spend(bytes.length * 16 + Math.min(rows * columns, MOST_COMPARED) * most)
      const painted = paint(bytes, palette(bytes, most, read.spend), columns)
      return fromBytes(painted)
    }),
  ]
}

/** The exception for a palette without colours. */
function emptyPalette(dither: Value): never {
  painterOf(dither)
  if (typeof dither === 'string' && dither.startsWith('bayer'))
    raise('ZeroDivisionError', 'division by zero')
  return raise('ValueError', 'empty palette')
}

function painterOf(dither: Value): Paint {
  if (typeof dither !== 'string') return misused(dither, '.startswith')
  if (dither === 'none') return plain
  if (dither === 'floyd-steinberg') return diffused
  const order = /^bayer-(\d+)$/.exec(dither)?.[1]
  if (order !== undefined) return ordered(Number(order))
  return raise(
    'UnboundLocalError',
    "cannot access local variable 'quantized_image' where it is not associated with a value",
  )
}
