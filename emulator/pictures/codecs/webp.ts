// Writes lossless WebP files: every pixel as the difference to a prediction from its neighbours, in prefix codes. Uses
// two transforms of the format (subtract green, predictor) and one group of codes, without back references. No library
// fits: the existing codecs are WebAssembly of 300 KB and more, load asynchronously, and produce different bytes in
// each version; this is the default of /view?preview=, and small.

import { canonicalCodes, codeLengths, MOST_CODE_BITS } from './prefix-codes.ts'
import { longestSide } from '../picture.ts'
import { hasAlpha, type Pixels } from '../pixels.ts'

/** The bytes written so far, and up to 7 bits of an incomplete byte; the first bit is the lowest. */
type Sink = { bytes: Uint8Array; length: number; bits: number; bitCount: number }

const put = (sink: Sink, value: number, count: number): void => {
  sink.bits |= value << sink.bitCount
  sink.bitCount += count
  for (; sink.bitCount >= 8; sink.bitCount -= 8) {
    if (sink.length === sink.bytes.length) {
      const longer = new Uint8Array(2 * sink.length)
      longer.set(sink.bytes)
      sink.bytes = longer
    }
    sink.bytes[sink.length++] = sink.bits & 255
    sink.bits >>>= 8
  }
}

/** The number of symbols of each channel's code; that of green has 24 more, for back references. */
const CHANNELS = [
  { at: 1, symbols: 280 },
  { at: 0, symbols: 256 },
  { at: 2, symbols: 256 },
  { at: 3, symbols: 256 },
] as const
/** Predicts a pixel as left + top - top left, clamped to 0 to 255. */
const GRADIENT = 12
/** Kinds of transforms. */
const PREDICTOR = 0
const SUBTRACT_GREEN = 2
/** The largest block with a separate predictor: 2 to the power of 2 + 7 pixels. */
const BLOCK_BITS = 7

/** A lossless WebP file of `pixels`, each side at most `longestSide.webp`. */
export const encodeWebp = (pixels: Pixels): Uint8Array => {
  const { width, height, data } = pixels
  if (Math.max(width, height) > longestSide.webp) throw new RangeError('too large for a WebP file')
  const sink: Sink = {
    bytes: new Uint8Array(1024 + width * height),
    length: 0,
    bits: 0,
    bitCount: 0,
  }
  put(sink, 0x2f, 8)
  put(sink, width - 1, 14)
  put(sink, height - 1, 14)
  put(sink, hasAlpha(data) ? 1 : 0, 1)
  put(sink, 0, 3)
  putTransforms(sink)
  // No colour cache, and one group of codes for the whole picture.
  put(sink, 0, 2)
  const residuals = residualsOf(pixels)
  const codes = CHANNELS.map(({ at, symbols }) => putCode(sink, countsOf(residuals, at, symbols)))
  putOnlySymbol(sink, 0)
  for (let at = 0; at < residuals.length; at += 4) {
    for (let channel = 0; channel < 4; channel++) {
      const { lengths, bits } = codes[channel]!
      const symbol = residuals[at + CHANNELS[channel]!.at]!
      put(sink, bits[symbol]!, lengths[symbol]!)
    }
  }
  put(sink, 0, 7)
  return inContainer(sink.bytes.subarray(0, sink.length))
}

const putTransforms = (sink: Sink): void => {
  put(sink, 1, 1)
  put(sink, SUBTRACT_GREEN, 2)
  put(sink, 1, 1)
  put(sink, PREDICTOR, 2)
  put(sink, BLOCK_BITS, 3)
  // The predictors of the blocks form a picture, whose green value selects one: the same for all blocks.
  put(sink, 0, 1)
  for (const symbol of [GRADIENT, 0, 0, 0, 0]) putOnlySymbol(sink, symbol)
  put(sink, 0, 1)
}

/** The differences that remain after the transforms. */
const residualsOf = ({ width, data }: Pixels): Uint8Array => {
  const values = data.slice()
  for (let at = 0; at < values.length; at += 4) {
    values[at]! -= values[at + 1]!
    values[at + 2]! -= values[at + 1]!
  }
  const residuals = values.slice()
  const line = width * 4
  for (let at = 0; at < values.length; at++) {
    const x = at % line
    const left = values[at - 4]!
    const top = values[at - line]!
    if (x >= 4 && at >= line) {
      const sum = left + top - values[at - line - 4]!
      residuals[at]! -= Math.min(Math.max(sum, 0), 255)
    } else if (x >= 4) residuals[at]! -= left
    else if (at >= line) residuals[at]! -= top
    // The first pixel is predicted as opaque black.
    else if (at === 3) residuals[at]! -= 255
  }
  return residuals
}

const countsOf = (residuals: Uint8Array, first: number, symbols: number): Uint32Array => {
  const counts = new Uint32Array(symbols)
  for (let at = first; at < residuals.length; at += 4) counts[residuals[at]!]!++
  return counts
}

/** A code of one symbol, which takes no bits. */
const putOnlySymbol = (sink: Sink, symbol: number): void => {
  // A simple code with one symbol, written in 8 bits.
  put(sink, 0b101, 3)
  put(sink, symbol, 8)
}

/** The order of the code length codes in the format. */
const LENGTH_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

/** Writes the code for symbols of these frequencies, and returns it. */
const putCode = (sink: Sink, counts: Uint32Array): { lengths: Uint8Array; bits: Uint16Array } => {
  const lengths = codeLengths(counts)
  const used = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0)
  if (used === 1) {
    putOnlySymbol(
      sink,
      counts.findIndex((count) => count > 0),
    )
    return { lengths: new Uint8Array(counts.length), bits: new Uint16Array(counts.length) }
  }
  put(sink, 0, 1)
  // Each length from 0 to 15 takes 4 bits; the codes for repetitions are unused.
  put(sink, LENGTH_ORDER.length - 4, 4)
  for (const length of LENGTH_ORDER) put(sink, length <= MOST_CODE_BITS ? 4 : 0, 3)
  put(sink, 0, 1)
  const ofLengths = canonicalCodes(new Uint8Array(MOST_CODE_BITS + 1).fill(4))
  for (const length of lengths) put(sink, ofLengths[length]!, 4)
  return { lengths, bits: canonicalCodes(lengths) }
}

const inContainer = (content: Uint8Array): Uint8Array => {
  const padded = content.length + (content.length % 2)
  const file = new Uint8Array(20 + padded)
  const view = new DataView(file.buffer)
  const putText = (at: number, text: string): void => {
    for (let i = 0; i < text.length; i++) file[at + i] = text.charCodeAt(i)
  }
  putText(0, 'RIFF')
  view.setUint32(4, file.length - 8, true)
  putText(8, 'WEBPVP8L')
  view.setUint32(16, content.length, true)
  file.set(content, 20)
  return file
}
