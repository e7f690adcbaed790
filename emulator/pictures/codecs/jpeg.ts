// Writes JPEG files: baseline, all channels in full resolution, with the tables of the standard. Blocks of one colour
// cost almost nothing; previews consist of them, and are written without painting their pixels. No library fits:
// jpeg-js, which decodes uploads, builds its tables each time, which takes longer than a whole preview does here, and its
// encoder requires Buffer, which only Node has. WebAssembly codecs are slower for previews, and load asynchronously.

import {
  CHROMINANCE_AC,
  CHROMINANCE_DC,
  type Codes,
  codesOf,
  type HuffmanTable,
  LUMINANCE_AC,
  LUMINANCE_DC,
  stepsAt,
  ZIGZAG,
} from './jpeg-tables.ts'
import { quantizerOf, transform } from './jpeg-transform.ts'
import type { Mosaic, Pixels } from '../pixels.ts'

/** The bytes written so far, and up to 7 bits of an incomplete byte. */
type Sink = { bytes: Uint8Array; length: number; bits: number; bitCount: number }

/** How one channel is written, and its last mean: the next one is written as a difference to it. */
type Channel = { block: Float64Array; quantizer: Float64Array; dc: Codes; ac: Codes; last: number }

/** The data that depends only on the quality. */
type Setup = { header: Uint8Array; channels: () => Channel[] }

/** The maximum size of three blocks, in bytes: 3 * 64 values of 27 bits at most, each byte doubled. */
const ROOM = 2048

/**
 * A JPEG file of `pixels`; ignores alpha. `quality` is 1 to 100. The format limits each side to 65535 pixels.
 */
export const encodeJpeg = (pixels: Pixels, quality: number): Uint8Array =>
  encodeBlocks(pixels, quality, (sink, channels) => writeBlocks(sink, pixels, channels))

/** The JPEG file of a mosaic, equal to that of its pixels: each of its cells is one block. */
export const encodeJpegMosaic = (mosaic: Mosaic, quality: number): Uint8Array =>
  encodeBlocks(mosaic, quality, (sink, channels) => writeCells(sink, mosaic.cells, channels))

const encodeBlocks = (
  { width, height }: Pick<Pixels, 'width' | 'height'>,
  quality: number,
  write: (sink: Sink, channels: readonly Channel[]) => void,
): Uint8Array => {
  if (width > 0xffff || height > 0xffff) throw new RangeError('too large for a JPEG file')
  const { header, channels } = setupOf(quality)
  const bytes = new Uint8Array(header.length + ROOM + ((width * height) >> 2))
  bytes.set(header)
  bytes.set([...twoBytes(height), ...twoBytes(width)], SIZE_AT)
  const sink: Sink = { bytes, length: header.length, bits: 0, bitCount: 0 }
  write(sink, channels())
  // The last byte is padded with ones.
  if (sink.bitCount > 0) putBits(sink, 0xff >> sink.bitCount, 8 - sink.bitCount)
  sink.bytes[sink.length++] = 0xff
  sink.bytes[sink.length++] = 0xd9
  return sink.bytes.slice(0, sink.length)
}

const setups = new Map<number, Setup>()

const setupOf = (quality: number): Setup => {
  const setup = setups.get(quality) ?? makeSetup(quality)
  setups.set(quality, setup)
  return setup
}

const makeSetup = (quality: number): Setup => {
  const { luminance, chrominance } = stepsAt(quality)
  const [bright, color] = [quantizerOf(luminance), quantizerOf(chrominance)]
  const [brightDc, brightAc] = [codesOf(LUMINANCE_DC), codesOf(LUMINANCE_AC)]
  const [colorDc, colorAc] = [codesOf(CHROMINANCE_DC), codesOf(CHROMINANCE_AC)]
  const channel = (quantizer: Float64Array, dc: Codes, ac: Codes): Channel => ({
    block: new Float64Array(64),
    quantizer,
    dc,
    ac,
    last: 0,
  })
  return {
    header: Uint8Array.from(headerOf(luminance, chrominance)),
    channels: () => [
      channel(bright, brightDc, brightAc),
      channel(color, colorDc, colorAc),
      channel(color, colorDc, colorAc),
    ],
  }
}

/** The position of height and width in the header, which is the same for all pictures of a quality otherwise. */
const SIZE_AT = 163

const headerOf = (luminance: readonly number[], chrominance: readonly number[]): number[] => [
  0xff,
  0xd8,
  // JFIF 1.1, square pixels, no thumbnail.
  ...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
  ...segment(0xdb, [0, ...ZIGZAG.map((at) => luminance[at]!)]),
  ...segment(0xdb, [1, ...ZIGZAG.map((at) => chrominance[at]!)]),
  // 8 bits; then 3 channels: its number, its sampling, its quantisation table.
  ...segment(0xc0, [8, 0, 0, 0, 0, 3, ...CHANNELS]),
  ...segment(0xc4, huffmanBytes(0x00, LUMINANCE_DC)),
  ...segment(0xc4, huffmanBytes(0x10, LUMINANCE_AC)),
  ...segment(0xc4, huffmanBytes(0x01, CHROMINANCE_DC)),
  ...segment(0xc4, huffmanBytes(0x11, CHROMINANCE_AC)),
  // One scan of all three channels: number and Huffman tables; all 64 coefficients.
  ...segment(0xda, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]),
]

const CHANNELS: readonly number[] = [1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1]

const twoBytes = (value: number): number[] => [value >> 8, value & 255]

const segment = (marker: number, content: readonly number[]): number[] => [
  0xff,
  marker,
  ...twoBytes(content.length + 2),
  ...content,
]

const huffmanBytes = (place: number, { counts, symbols }: HuffmanTable): number[] => [
  place,
  ...counts,
  ...symbols,
]

const writeBlocks = (sink: Sink, pixels: Pixels, channels: readonly Channel[]): void => {
  // Comparing whole pixels is four times as fast. A view of 32-bit words must start at a multiple of four.
  const data = pixels.data.byteOffset % 4 === 0 ? pixels.data : pixels.data.slice()
  const words = new Uint32Array(data.buffer, data.byteOffset, pixels.width * pixels.height)
  for (let top = 0; top < pixels.height; top += 8) {
    for (let left = 0; left < pixels.width; left += 8) {
      makeRoom(sink)
      const isFlat = isOneColor(words, pixels, left, top)
      loadBlock(pixels, left, top, isFlat ? 1 : 64, channels)
      for (const channel of channels) {
        if (isFlat) writeFlatBlock(sink, channel)
        else writeBlock(sink, channel)
      }
    }
  }
}

const writeCells = (sink: Sink, cells: Pixels, channels: readonly Channel[]): void => {
  for (let y = 0; y < cells.height; y++) {
    for (let x = 0; x < cells.width; x++) {
      makeRoom(sink)
      loadBlock(cells, x, y, 1, channels)
      for (const channel of channels) writeFlatBlock(sink, channel)
    }
  }
}

const makeRoom = (sink: Sink): void => {
  if (sink.bytes.length - sink.length >= ROOM) return
  const larger = new Uint8Array(sink.bytes.length * 2 + ROOM)
  larger.set(sink.bytes)
  sink.bytes = larger
}

const isOneColor = (
  words: Uint32Array,
  { width, height }: Pixels,
  left: number,
  top: number,
): boolean => {
  const first = words[top * width + left]
  const right = Math.min(left + 8, width)
  const bottom = Math.min(top + 8, height)
  for (let y = top; y < bottom; y++) {
    const end = y * width + right
    for (let at = y * width + left; at < end; at++) if (words[at] !== first) return false
  }
  return true
}

/** Fills the first `count` values of the three blocks. Beyond the edge, its pixels are repeated. */
const loadBlock = (
  { width, height, data }: Pixels,
  left: number,
  top: number,
  count: number,
  [bright, blueness, redness]: readonly Channel[],
): void => {
  for (let at = 0; at < count; at++) {
    const x = Math.min(left + (at & 7), width - 1)
    const y = Math.min(top + (at >> 3), height - 1)
    const from = (y * width + x) * 4
    const [red, green, blue] = [data[from]!, data[from + 1]!, data[from + 2]!]
    bright!.block[at] = 0.299 * red + 0.587 * green + 0.114 * blue - 128
    blueness!.block[at] = -0.168736 * red - 0.331264 * green + 0.5 * blue
    redness!.block[at] = 0.5 * red - 0.418688 * green - 0.081312 * blue
  }
}

/** Rounds to the nearest whole number, halves away from 0. */
const roundOff = (value: number): number => (value < 0 ? value - 0.5 : value + 0.5) | 0

const END_OF_BLOCK = 0
const SIXTEEN_ZEROS = 0xf0

/**
 * A block whose 64 values are equal: only the first coefficient of its transform is not zero. Its parts are at most 24
 * bits together, written in one step: previews consist of such blocks.
 */
const writeFlatBlock = (sink: Sink, channel: Channel): void => {
  const { block, quantizer, dc, ac } = channel
  const mean = roundOff(block[0]! * 64 * quantizer[0]!)
  const value = mean - channel.last
  channel.last = mean
  const size = bitLength(value)
  const endLength = ac.length[END_OF_BLOCK]!
  const bits = (dc.code[size]! << size) | bitsOf(value, size)
  putBits(sink, (bits << endLength) | ac.code[END_OF_BLOCK]!, dc.length[size]! + size + endLength)
}

const writeBlock = (sink: Sink, channel: Channel): void => {
  const { block, quantizer, ac } = channel
  transform(block)
  writeMean(sink, channel, roundOff(block[0]! * quantizer[0]!))
  let zeros = 0
  for (let index = 1; index < 64; index++) {
    const at = ZIGZAG[index]!
    const value = roundOff(block[at]! * quantizer[at]!)
    if (value === 0) {
      zeros++
      continue
    }
    for (; zeros > 15; zeros -= 16) putCode(sink, ac, SIXTEEN_ZEROS)
    const size = bitLength(value)
    putCode(sink, ac, (zeros << 4) | size)
    putValue(sink, value, size)
    zeros = 0
  }
  if (zeros > 0) putCode(sink, ac, END_OF_BLOCK)
}

const writeMean = (sink: Sink, channel: Channel, mean: number): void => {
  const value = mean - channel.last
  channel.last = mean
  const size = bitLength(value)
  putCode(sink, channel.dc, size)
  putValue(sink, value, size)
}

/** The number of bits of a value without its sign. */
const bitLength = (value: number): number => 32 - Math.clz32(Math.abs(value))

/** Negative values are written minus 1, in the same number of bits: their first bit then is 0. */
const bitsOf = (value: number, size: number): number =>
  value < 0 ? value + (1 << size) - 1 : value

const putValue = (sink: Sink, value: number, size: number): void =>
  putBits(sink, bitsOf(value, size), size)

const putCode = (sink: Sink, { code, length }: Codes, symbol: number): void =>
  putBits(sink, code[symbol]!, length[symbol]!)

const putBits = (sink: Sink, value: number, count: number): void => {
  const { bytes } = sink
  let { length, bits, bitCount } = sink
  bits = (bits << count) | value
  bitCount += count
  while (bitCount >= 8) {
    bitCount -= 8
    const byte = (bits >> bitCount) & 255
    bytes[length++] = byte
    // A marker starts with 255, so that a 255 in the data is followed by 0.
    if (byte === 255) bytes[length++] = 0
  }
  sink.length = length
  sink.bits = bits & 255
  sink.bitCount = bitCount
}
