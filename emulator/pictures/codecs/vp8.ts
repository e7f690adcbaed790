// Writes frames of VP8 (RFC 6386): flat blocks, each frame without need of another. No library in pure JavaScript writes
// it; flat blocks need one coefficient for brightness, and one for each part of a colour.

import { concat, little } from '../../lib/bytes.ts'
import { type Blocks, differenceAt, type Guess, guessOf } from './blocks.ts'
import {
  brightness,
  type CodeProbabilities,
  colour,
  NO_DETAIL,
  ranges,
  updateProbabilities,
} from './vp8-tables.ts'

/** A key frame of this size. Sides are at most 16,383 pixels. */
export const vp8Frame = (width: number, height: number, blocks: Blocks): Uint8Array => {
  const modes = putModes(blocks)
  const coefficients = putCoefficients(blocks)
  const tag = little((modes.length << 5) | SHOWN, 3)
  const start = Uint8Array.of(0x9d, 0x01, 0x2a)
  return concat([tag, start, little(width, 2), little(height, 2), modes, coefficients])
}

const SHOWN = 0x10

/** Steps of the coefficients at which one step of a coefficient is one of the colour, and two are one of brightness. */
const QUALITY = 19
const BRIGHTNESS_STEP = -6
const COLOUR_STEP = -15

const EVEN = 128

/** How blocks are guessed, as the bits of the choice and their probabilities: in brightness, then in colour. */
const modesOf: Readonly<Record<Guess, readonly (readonly [bit: 0 | 1, zero: number])[]>> = {
  left: [
    [1, 145],
    [1, 156],
    [0, 128],
    [1, 142],
    [1, 114],
    [0, 183],
  ],
  above: [
    [1, 145],
    [0, 156],
    [1, 163],
    [1, 142],
    [0, 114],
  ],
  grey: [
    [1, 145],
    [0, 156],
    [0, 163],
    [0, 142],
  ],
}

/** The first part: settings of the frame, and how each block is guessed. */
function putModes(blocks: Blocks): Uint8Array {
  const bits = createBits()
  // Colours as usual, no segments, a filter that is off and never changes.
  bits.number(0, 14)
  // One part of coefficients.
  bits.number(0, 2)
  bits.number(QUALITY, 7)
  bits.number(0, 1)
  bits.step(BRIGHTNESS_STEP)
  bits.number(0, 1)
  bits.step(COLOUR_STEP)
  bits.number(0, 1)
  bits.number(1, 1)
  for (const zero of updateProbabilities()) bits.put(0, zero)
  // Blocks may have no coefficients, as often as not.
  bits.number(1, 1)
  bits.number(EVEN, 8)
  const { length } = blocks.planes[0]
  for (let at = 0; at < length; at++) {
    bits.put(isAsGuessed(blocks, at) ? 1 : 0, EVEN)
    for (const [bit, zero] of modesOf[guessOf(at, blocks.across)]) bits.put(bit, zero)
  }
  return bits.end()
}

const isAsGuessed = (blocks: Blocks, at: number): boolean =>
  planes.every((plane) => differenceAt(blocks, plane, at) === 0)

const planes = [0, 1, 2] as const

/** Which of the blocks above and to the left have a coefficient, in each plane: the codes depend on it. */
type Neighbours = { readonly above: Uint8Array; left: number }

/** The second part: how the blocks differ from their guesses. */
function putCoefficients(blocks: Blocks): Uint8Array {
  const bits = createBits()
  const { across } = blocks
  const neighbours: readonly Neighbours[] = planes.map(() => ({
    above: new Uint8Array(across),
    left: 0,
  }))
  const { length } = blocks.planes[0]
  for (let at = 0; at < length; at++) {
    const column = at % across
    if (column === 0) for (const one of neighbours) one.left = 0
    const isSkipped = isAsGuessed(blocks, at)
    for (const plane of planes) {
      const seen = neighbours[plane]!
      const difference = differenceAt(blocks, plane, at)
      if (!isSkipped) putPlane(bits, plane, difference, seen.above[column]!, seen.left)
      const has = difference === 0 ? 0 : 1
      seen.above[column] = has
      seen.left = has
    }
  }
  return bits.end()
}

function putPlane(
  bits: Bits,
  plane: 0 | 1 | 2,
  difference: number,
  above: number,
  left: number,
): void {
  if (plane === 0) {
    putCoefficient(bits, 2 * difference, brightness, above + left)
    for (let part = 0; part < 16; part++) bits.put(0, NO_DETAIL)
    return
  }
  const own = difference === 0 ? 0 : 1
  // Two by two parts: those at the edge have neighbours in other blocks.
  for (const before of [above + left, above + own, own + left, own + own])
    putCoefficient(bits, difference, colour, before)
}

/** One coefficient, and the end. `before` is how many of the two neighbours have one. */
function putCoefficient(
  bits: Bits,
  value: number,
  [first, second]: readonly (readonly CodeProbabilities[])[],
  before: number,
): void {
  const probabilities = first![before]!
  if (value === 0) return bits.put(0, probabilities[0]!)
  const size = Math.abs(value)
  bits.put(1, probabilities[0]!)
  bits.put(1, probabilities[1]!)
  putSize(bits, size, probabilities)
  bits.put(value < 0 ? 1 : 0, EVEN)
  bits.put(0, second![size === 1 ? 1 : 2]![0]!)
}

/** The bits that choose a small number, or a range, each with the number of its probability. */
const sizes: Readonly<Record<number, readonly (readonly [bit: 0 | 1, at: number])[]>> = {
  1: [[0, 2]],
  2: [
    [1, 2],
    [0, 3],
    [0, 4],
  ],
  3: [
    [1, 2],
    [0, 3],
    [1, 4],
    [0, 5],
  ],
  4: [
    [1, 2],
    [0, 3],
    [1, 4],
    [1, 5],
  ],
  5: [
    [1, 2],
    [1, 3],
    [0, 6],
    [0, 7],
  ],
  7: [
    [1, 2],
    [1, 3],
    [0, 6],
    [1, 7],
  ],
  11: [
    [1, 2],
    [1, 3],
    [1, 6],
    [0, 8],
    [0, 9],
  ],
  19: [
    [1, 2],
    [1, 3],
    [1, 6],
    [0, 8],
    [1, 9],
  ],
  35: [
    [1, 2],
    [1, 3],
    [1, 6],
    [1, 8],
    [0, 10],
  ],
  67: [
    [1, 2],
    [1, 3],
    [1, 6],
    [1, 8],
    [1, 10],
  ],
}

function putSize(bits: Bits, size: number, probabilities: CodeProbabilities): void {
  const range = ranges.findLast(([least]) => least <= size)
  for (const [bit, at] of sizes[range?.[0] ?? size]!) bits.put(bit, probabilities[at]!)
  if (range === undefined) return
  const [least, added] = range
  for (const [at, zero] of added.entries())
    bits.put((((size - least) >> (added.length - 1 - at)) & 1) as 0 | 1, zero)
}

type Bits = ReturnType<typeof createBits>

/** The coder of the standard (section 7): a bit costs less, the likelier it was. */
function createBits() {
  const bytes: number[] = []
  let range = 255
  let bottom = 0
  let free = 24
  const carry = (): void => {
    let at = bytes.length - 1
    while (at >= 0 && bytes[at] === 255) bytes[at--] = 0
    if (at >= 0) bytes[at]!++
  }
  /** A bit that is 0 with a probability of `zero` of 256. */
  const put = (bit: 0 | 1, zero: number): void => {
    const split = 1 + (((range - 1) * zero) >> 8)
    if (bit === 1) {
      bottom += split
      range -= split
    } else range = split
    while (range < 128) {
      range <<= 1
      if (bottom >= CARRY) {
        bottom -= CARRY
        carry()
      }
      bottom *= 2
      if (--free > 0) continue
      bytes.push(Math.floor(bottom / 2 ** 24))
      bottom %= 2 ** 24
      free = 8
    }
  }
  const number = (value: number, count: number): void => {
    for (let at = count - 1; at >= 0; at--) put(((value >> at) & 1) as 0 | 1, EVEN)
  }
  /** That a step differs from the usual one, and by how much below it. */
  const step = (value: number): void => {
    number(1, 1)
    number(-value, 4)
    number(1, 1)
  }
  const end = (): Uint8Array => {
    for (let bit = 0; bit < 32; bit++) put(0, EVEN)
    return Uint8Array.from(bytes)
  }
  return { put, number, step, end }
}

/** Above the bits that are not written yet. */
const CARRY = 2 ** 31
