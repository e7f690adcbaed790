// Writes video as H.264 (Constrained Baseline): flat blocks, of which a frame holds those that changed. No library in pure
// JavaScript writes it, and for flat blocks the standard needs little: one coefficient a plane, in its shortest codes.

import { concat } from '../../lib/bytes.ts'
import { BLOCK, type Blocks, differenceAt, guessOf } from './blocks.ts'

/** What a player needs before the first frame. */
export type H264Settings = { readonly sequence: Uint8Array; readonly picture: Uint8Array }

/** The settings for frames of this size; both sides are even, as each colour value serves two by two pixels. */
export const h264Settings = (width: number, height: number): H264Settings => {
  const across = Math.ceil(width / BLOCK)
  const down = Math.ceil(height / BLOCK)
  const level = levels.find(([, most]) => most >= across * down)?.[0] ?? HIGHEST_LEVEL
  const bits = createBits()
  bits.put(BASELINE, 8)
  bits.put(CONSTRAINED, 8)
  bits.put(level, 8)
  bits.whole(0)
  bits.whole(FRAME_NUMBER_BITS - 4)
  // Frames are shown in the order in which they are decoded, and refer to one frame at most.
  bits.whole(2)
  bits.whole(1)
  bits.put(0, 1)
  bits.whole(across - 1)
  bits.whole(down - 1)
  bits.put(0b11, 2)
  bits.put(1, 1)
  bits.whole(0)
  bits.whole((across * BLOCK - width) / 2)
  bits.whole(0)
  bits.whole((down * BLOCK - height) / 2)
  // The colours are those of standard television.
  bits.put(0b1_0011_0101, 9)
  for (let field = 0; field < 3; field++) bits.put(STANDARD_TELEVISION, 8)
  bits.put(0, 6)
  return { sequence: unit(SEQUENCE, bits.end()), picture: unit(PICTURE, pictureSettings()) }
}

const BASELINE = 66
const CONSTRAINED = 0xc0
const STANDARD_TELEVISION = 6
const FRAME_NUMBER_BITS = 4

/** Each level, and how many blocks a frame of it can have. */
const levels: readonly (readonly [level: number, blocks: number])[] = [
  [10, 99],
  [13, 396],
  [21, 792],
  [30, 1620],
  [31, 3600],
  [32, 5120],
  [40, 8192],
  [50, 22080],
  [51, 36864],
]
const HIGHEST_LEVEL = 62

/** At these steps of the coefficients, one step of a level is one step of the colour. */
const LUMA_STEP = 2
const CHROMA_STEP = -6

function pictureSettings(): Uint8Array {
  const bits = createBits()
  bits.whole(0)
  bits.whole(0)
  bits.put(0, 2)
  for (let field = 0; field < 3; field++) bits.whole(0)
  bits.put(0, 3)
  bits.signed(LUMA_STEP)
  bits.signed(0)
  bits.signed(CHROMA_STEP)
  // Filters between blocks are off, frame by frame.
  bits.put(0b100, 3)
  return bits.end()
}

/** Kinds of units, with how much others depend on them. */
const SEQUENCE = 0x67
const PICTURE = 0x68
const KEY_FRAME = 0x65
const FRAME = 0x41

/** A key frame: all blocks, which need no other frame. `number` is its position among the key frames. */
export const h264KeyFrame = (blocks: Blocks, number: number): Uint8Array => {
  const bits = createBits()
  bits.whole(0)
  bits.whole(7)
  bits.whole(0)
  bits.put(0, FRAME_NUMBER_BITS)
  // Key frames in a row have different ids.
  bits.whole(number % 2)
  bits.put(0, 2)
  bits.signed(0)
  bits.whole(1)
  const { length } = blocks.planes[0]
  for (let at = 0; at < length; at++) putBlock(bits, blocks, at, 1)
  return unit(KEY_FRAME, bits.end())
}

/** A frame of the blocks that differ from those of the last frame. `number` is the distance to the key frame. */
export const h264Frame = (blocks: Blocks, last: Blocks, number: number): Uint8Array => {
  const bits = createBits()
  bits.whole(0)
  bits.whole(5)
  bits.whole(0)
  bits.put(number % 2 ** FRAME_NUMBER_BITS, FRAME_NUMBER_BITS)
  bits.put(0, 3)
  bits.signed(0)
  bits.whole(1)
  const { length } = blocks.planes[0]
  let skipped = 0
  for (let at = 0; at < length; at++) {
    if (isSame(blocks, last, at)) {
      skipped++
      continue
    }
    bits.whole(skipped)
    skipped = 0
    putBlock(bits, blocks, at, 6)
  }
  if (skipped > 0) bits.whole(skipped)
  return unit(FRAME, bits.end())
}

const isSame = (one: Blocks, other: Blocks, at: number): boolean =>
  one.planes.every((values, plane) => values[at] === other.planes[plane]![at])

/** How a block is guessed, as the number that stands for it, in brightness and in colour. */
const guesses = { left: [1, 1], above: [0, 2], grey: [2, 0] } as const

/** A block: how it is guessed, and how it differs. `kind` is the number of the first kind of such blocks. */
function putBlock(bits: Bits, blocks: Blocks, at: number, kind: number): void {
  const [luma, chroma] = guesses[guessOf(at, blocks.across)]
  const blue = differenceAt(blocks, 1, at)
  const red = differenceAt(blocks, 2, at)
  const isColoured = blue !== 0 || red !== 0
  bits.whole(kind + luma + (isColoured ? 4 : 0))
  bits.whole(chroma)
  bits.signed(0)
  putLevel(bits, differenceAt(blocks, 0, at), lumaCodes)
  if (!isColoured) return
  putLevel(bits, blue, chromaCodes)
  putLevel(bits, red, chromaCodes)
}

/** Codes for no coefficient, for one of 1 or -1, and for a larger one: the bits, and how many. */
type Codes = Readonly<Record<'none' | 'one' | 'larger', readonly [bits: number, count: number]>>
const lumaCodes: Codes = { none: [0b1, 1], one: [0b01, 2], larger: [0b000101, 6] }
const chromaCodes: Codes = { none: [0b01, 2], one: [0b1, 1], larger: [0b000111, 6] }

function putLevel(bits: Bits, level: number, { none, one, larger }: Codes): void {
  if (level === 0) return bits.put(...none)
  const sign = level < 0 ? 1 : 0
  const size = Math.abs(level)
  bits.put(...(size === 1 ? one : larger))
  if (size === 1) bits.put(sign, 1)
  else putLarger(bits, 2 * size - 4 + sign)
  // No zero stands before the coefficient.
  bits.put(1, 1)
}

/** A level by its code: as many zeros and a one, or an escape with its bits. */
function putLarger(bits: Bits, code: number): void {
  if (code < 14) return bits.put(1, code + 1)
  if (code < 30) {
    bits.put(1, 15)
    return bits.put(code - 14, 4)
  }
  bits.put(1, 16)
  bits.put(code - 30, 12)
}

/** A unit: its kind, and its bytes. After two zeros, a byte of 3 keeps them from looking like the start of a unit. */
function unit(kind: number, content: Uint8Array): Uint8Array {
  const bytes = [kind]
  let zeros = 0
  for (const byte of content) {
    if (zeros === 2 && byte <= 3) {
      bytes.push(3)
      zeros = 0
    }
    bytes.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Uint8Array.from(bytes)
}

type Bits = ReturnType<typeof createBits>

/** Writes bits, the highest first, and the two codes of the standard for whole numbers of any size. */
function createBits() {
  const parts: Uint8Array[] = []
  let bytes = new Uint8Array(4096)
  let length = 0
  let held = 0
  let count = 0
  const put = (value: number, bits: number): void => {
    held = (held << bits) | value
    count += bits
    while (count >= 8) {
      count -= 8
      if (length === bytes.length) {
        parts.push(bytes)
        bytes = new Uint8Array(bytes.length)
        length = 0
      }
      bytes[length++] = held >> count
      held &= (1 << count) - 1
    }
  }
  /** A number from 0 up. */
  const whole = (value: number): void => {
    const bits = 32 - Math.clz32(value + 1)
    put(0, bits - 1)
    put(value + 1, bits)
  }
  /** A number on either side of 0. */
  const signed = (value: number): void => whole(value > 0 ? 2 * value - 1 : -2 * value)
  /** The bytes: a last one, then zeros. */
  const end = (): Uint8Array => {
    put(1, 1)
    if (count > 0) put(0, 8 - count)
    return concat([...parts, bytes.subarray(0, length)])
  }
  return { put, whole, signed, end }
}
