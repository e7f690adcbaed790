// Decodes VP8 of flat blocks (RFC 6386): whatever else a frame contains throws.

import { emptyFrame, type Guess, setBlock } from './flat-frames.ts'
import { coefficients, updates } from './vp8-tables.ts'

/** The frame, and its size in pixels. */
export function decodeVp8(bytes: Buffer) {
  const tag = bytes.readUIntLE(0, 3)
  if ((tag & 0x1f) !== 0x10 || bytes.readUIntBE(3, 3) !== 0x9d012a)
    throw new Error('Not a key frame that is shown.')
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  const modes = decoderOf(bytes.subarray(10, 10 + (tag >> 5)))
  const parts = decoderOf(bytes.subarray(10 + (tag >> 5)))
  readSettings(modes)
  const across = Math.ceil(width / 16)
  const count = across * Math.ceil(height / 16)
  const frame = emptyFrame(across)
  const above = [0, 1, 2].map(() => Array.from({ length: across }, () => 0))
  let left = [0, 0, 0]
  for (let at = 0; at < count; at++) {
    const column = at % across
    if (column === 0) left = [0, 0, 0]
    const isSkipped = modes.bit(128) === 1
    const [luma, chroma] = [lumaGuess(modes), chromaGuess(modes)]
    for (const plane of [0, 1, 2] as const) {
      const difference = isSkipped
        ? 0
        : plane === 0
          ? brightness(parts, above[0]![column]! + left[0]!)
          : colour(parts, above[plane]![column]!, left[plane]!)
      above[plane]![column] = difference === 0 ? 0 : 1
      left[plane] = difference === 0 ? 0 : 1
      setBlock(frame, plane, at, plane === 0 ? luma : chroma, difference)
    }
  }
  return { width, height, frame }
}

/** The settings at which two levels of brightness and one of colour are a step. */
function readSettings(bits: Bits): void {
  const head = [14, 2, 7, 1, 1, 4, 1, 1, 1, 4, 1, 1, 1].map((count) => bits.number(count))
  const wanted = [0, 0, 19, 0, 1, 6, 1, 0, 1, 15, 1, 0, 1]
  if (head.join() !== wanted.join()) throw new Error(`The settings are ${head.join()}.`)
  for (const zero of updates) if (bits.bit(zero) === 1) throw new Error('A probability changes.')
  if (bits.number(1) !== 1 || bits.number(8) !== 128) throw new Error('No block is skipped.')
}

function lumaGuess(bits: Bits): Guess {
  if (bits.bit(145) === 0) throw new Error('A block in parts.')
  if (bits.bit(156) === 0) return bits.bit(163) === 0 ? 'grey' : 'above'
  if (bits.bit(128) === 1) throw new Error('A block with a slope.')
  return 'left'
}

function chromaGuess(bits: Bits): Guess {
  if (bits.bit(142) === 0) return 'grey'
  if (bits.bit(114) === 0) return 'above'
  if (bits.bit(183) === 1) throw new Error('A block with a slope.')
  return 'left'
}

function brightness(bits: Bits, before: number): number {
  const value = coefficient(bits, coefficients.brightness, before)
  if (value % 2 !== 0) throw new Error('Half a step.')
  for (let part = 0; part < 16; part++) if (bits.bit(253) === 1) throw new Error('A detail.')
  return value / 2
}

function colour(bits: Bits, above: number, left: number): number {
  const has = (value: number): number => (value === 0 ? 0 : 1)
  const one = coefficient(bits, coefficients.colour, above + left)
  const others = [above + has(one), has(one) + left, 2 * has(one)].map((before) =>
    coefficient(bits, coefficients.colour, before),
  )
  if (others.some((other) => other !== one)) throw new Error('Not flat.')
  return one
}

type Probabilities = readonly (readonly (readonly number[])[])[]

function coefficient(bits: Bits, [first, second]: Probabilities, before: number): number {
  const own = first![before]!
  if (bits.bit(own[0]!) === 0) return 0
  if (bits.bit(own[1]!) === 0) throw new Error('A zero before a coefficient.')
  const size = sizeOf(bits, own)
  const value = bits.bit(128) === 1 ? -size : size
  if (bits.bit(second![size === 1 ? 1 : 2]![0]!) === 1) throw new Error('A second coefficient.')
  return value
}

function sizeOf(bits: Bits, own: readonly number[]): number {
  const is = (at: number): boolean => bits.bit(own[at]!) === 1
  const more = (least: number, zeros: readonly number[]): number =>
    least + zeros.reduce((value, zero) => value * 2 + bits.bit(zero), 0)
  if (!is(2)) return 1
  if (!is(3)) return is(4) ? (is(5) ? 4 : 3) : 2
  if (!is(6)) return is(7) ? more(7, [165, 145]) : more(5, [159])
  if (!is(8)) return is(9) ? more(19, [176, 155, 140, 135]) : more(11, [173, 148, 140])
  return is(10)
    ? more(67, [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129])
    : more(35, [180, 157, 141, 134, 130])
}

type Bits = ReturnType<typeof decoderOf>

/** The decoder of section 7.3: bytes beyond the end are zeros. */
function decoderOf(bytes: Buffer) {
  let value = bytes[0]! * 256 + (bytes[1] ?? 0)
  let at = 2
  let range = 255
  let shifted = 0
  const bit = (zero: number): 0 | 1 => {
    const split = 1 + (((range - 1) * zero) >> 8)
    const isOne = value >= split * 256
    if (isOne) {
      range -= split
      value -= split * 256
    } else range = split
    while (range < 128) {
      value *= 2
      range *= 2
      if (++shifted < 8) continue
      shifted = 0
      value += bytes[at++] ?? 0
    }
    return isOne ? 1 : 0
  }
  const number = (count: number): number => {
    let read = 0
    for (let left = count; left > 0; left--) read = read * 2 + bit(128)
    return read
  }
  return { bit, number }
}
