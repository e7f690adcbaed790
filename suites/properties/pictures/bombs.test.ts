// Uploaded pictures whose few bytes would expand to many, or cause much work: the work stays within bounds.

import { deflateSync } from 'node:zlib'
import { decode as decodePng } from 'fast-png'
import { expect, it } from 'vitest'
import {
  chunk,
  contentsOf,
  decodePicture,
  encodeJpeg,
  encodePng,
  fill,
  inflate,
  MOST_PIXELS,
  pngOf,
  probeIntact,
  rowBytesOf,
  stored as storedStream,
  tidyJpeg,
  tidyPng,
} from '../../../dist/emulator/internal.js'

const text = (value: string): Uint8Array => Uint8Array.from(value, (char) => char.charCodeAt(0))
const four = (value: number): number[] => [
  value >>> 24,
  (value >> 16) & 255,
  (value >> 8) & 255,
  value & 255,
]

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value)

/** A PNG header: true colour with 8 bits a sample by default. */
const header = (width: number, height: number, more: readonly number[] = [8, 2, 0, 0, 0]) =>
  Uint8Array.from([...four(width), ...four(height), ...more])

const png = (head: Uint8Array, ...data: readonly Uint8Array[]): Uint8Array =>
  pngOf([chunk('IHDR', head), ...data.map((part) => chunk('IDAT', part)), chunk('IEND')])

/** A stream of this many dynamic blocks that contain nothing but codes of 15 bits, which cost a reader most. */
function emptyBlocks(count: number): Uint8Array {
  const bits: number[] = []
  const put = (value: number, length: number): void => {
    for (let bit = 0; bit < length; bit++) bits.push((value >> bit) & 1)
  }
  // One literal and one distance have a code of a bit each, the end of the block has the other.
  put(0, 1)
  put(2, 2)
  put(0, 5)
  put(0, 5)
  put(14, 4)
  for (const symbol of [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1])
    put(symbol === 18 ? 1 : symbol === 1 ? 1 : 0, 3)
  // Codes of lengths: 1 is 0, 18 is 1. A length of 1 for the first literal, 255 zeros, 1 for the end, 1 for the distance.
  put(0, 1)
  for (const zeros of [138, 117]) {
    put(1, 1)
    put(zeros - 11, 7)
  }
  put(0, 1)
  put(0, 1)
  // The end of the block.
  put(1, 1)
  const stream = new Uint8Array(3 + Math.ceil((count * bits.length) / 8))
  stream.set([0x78, 0x01])
  for (let at = 0; at < count * bits.length; at++) {
    if (bits[at % bits.length] === 1) stream[2 + (at >> 3)]! |= 1 << (at & 7)
  }
  return stream
}

it('pictures/png-bomb no more bytes are unpacked than the header announces', () => {
  const zeros = deflateSync(new Uint8Array(50_000_000))
  expect(zeros.length).toBeLessThan(60_000)
  expect(inflate(zeros, 4)).toEqual(new Uint8Array(4))
  // The following data is not read: it can be damaged.
  expect(inflate(zeros.subarray(0, 200), 4)).toEqual(new Uint8Array(4))
  const bomb = png(header(1, 1), zeros)
  expect(contentsOf(tidyPng(bomb), 'IDAT')).toEqual([storedStream(new Uint8Array(4))])
  expect(decodePicture(bomb)).toEqual({ width: 1, height: 1, data: Uint8Array.of(0, 0, 0, 255) })
})

it('pictures/png-bomb the rows are counted as the header declares, interlaced ones too', () => {
  for (const depth of [1, 2, 4, 8, 16]) {
    for (const [type, channels] of [
      [0, 1],
      [2, 3],
      [3, 1],
      [4, 2],
      [6, 4],
    ] as const) {
      const plain = rowBytesOf(header(13, 7, [depth, type, 0, 0, 0]))
      expect({ depth, type, plain }).toEqual({
        depth,
        type,
        plain: 7 * (1 + Math.ceil((13 * depth * channels) / 8)),
      })
    }
  }
  const sizes = [
    [1, 1],
    [2, 1],
    [1, 2],
    [5, 4],
    [8, 8],
    [9, 17],
  ] as const
  for (const [width, height] of sizes) {
    const head = header(width, height, [8, 6, 0, 0, 1])
    // The pixels, and a byte for each line of each pass that has any.
    const length = rowBytesOf(head)
    const rows = new Uint8Array(length)
    const file = png(head, deflateSync(rows))
    expect(decodePicture(file)?.data.length).toBe(width * height * 4)
    expect(decodePicture(png(head, deflateSync(rows.subarray(1))))).toBe(null)
    expect(length).toBeGreaterThan(width * height * 4)
    expect(length).toBeLessThanOrEqual(width * height * 4 + 4 * height + 7)
  }
})

it('pictures/png-bomb a stream of empty blocks is given up', () => {
  const few = emptyBlocks(900)
  const cut = few.length - 1
  expect(() => inflate(few.subarray(0, cut), 100)).toThrow(/damaged/)
  expect(() => inflate(emptyBlocks(1100), 100)).toThrow(/more blocks than its bytes need/)
  expect(() => inflate(emptyBlocks(1100), 128 * 200)).toThrow(/damaged/)
  expect(decodePicture(png(header(1, 1), emptyBlocks(1100)))).toBe(null)
})

it('pictures/png-bomb neither tiny chunks nor a long palette grow in memory', () => {
  const whole = encodePng(fill(2, 2, 0x102030))
  const [data] = contentsOf(whole, 'IDAT')
  const slices = Array.from(data!, (byte) => Uint8Array.of(byte))
  const sliced = png(contentsOf(whole, 'IHDR')[0]!, ...slices)
  expect(contentsOf(tidyPng(sliced), 'IDAT')).toHaveLength(1)
  expect(decodePicture(sliced)).toEqual(fill(2, 2, 0x102030))
  const empty = chunk('IDAT')
  const endless = pngOf([
    chunk('IHDR', header(1, 1)),
    ...Array.from({ length: 70_000 }, () => empty),
    chunk('IEND'),
  ])
  expect([contentsOf(endless, 'IDAT').length, probeIntact(endless)]).toEqual([65_535, null])
  const colours = chunk('PLTE', new Uint8Array(771))
  const indexed = pngOf([
    chunk('IHDR', header(1, 1, [8, 3, 0, 0, 0])),
    colours,
    chunk('IDAT', deflateSync(new Uint8Array(2))),
    chunk('IEND'),
  ])
  expect(decodePicture(indexed)).toBe(null)
})

it('pictures/apng-bomb of an animation only the first picture is unpacked', () => {
  const whole = encodePng(fill(2, 2, 0x102030))
  const frame = Uint8Array.from([0, 0, 0, 1, ...deflateSync(new Uint8Array(1_000_000))])
  const control = Uint8Array.from([
    ...four(0),
    ...four(60_000),
    ...four(60_000),
    ...new Uint8Array(14),
  ])
  const frames = Array.from({ length: 3000 }, () => [
    chunk('fcTL', control),
    chunk('fdAT', frame),
  ]).flat()
  const animated = pngOf([
    chunk('IHDR', contentsOf(whole, 'IHDR')[0]!),
    chunk('acTL', Uint8Array.from([...four(3000), ...four(0)])),
    chunk('IDAT', contentsOf(whole, 'IDAT')[0]!),
    ...frames,
    chunk('IEND'),
  ])
  expect(tidyPng(animated).length).toBeLessThan(200)
  expect(decodePicture(animated)).toEqual(fill(2, 2, 0x102030))
})

it('pictures/tidy a tidied PNG file shows the same picture', () => {
  const whole = encodePng(fill(300, 200, 0x102030))
  const [tidied, plain] = [decodePng(tidyPng(whole)).data, decodePng(whole).data]
  expect(Buffer.compare(tidied as Uint8Array, plain as Uint8Array)).toBe(0)
})

/** A progressive JPEG file of one grey channel, with this many scans, each of which covers all blocks. */
function progressive(width: number, height: number, scans: number): Uint8Array {
  const two = (value: number): number[] => [value >> 8, value & 255]
  const segment = (marker: number, content: readonly number[]): number[] => [
    0xff,
    marker,
    ...two(content.length + 2),
    ...content,
  ]
  const tables = [
    ...segment(0xdb, [0, ...times(64, 1)]),
    ...segment(0xc2, [8, ...two(height), ...two(width), 1, 1, 0x11, 0]),
    ...segment(0xc4, [0x00, 1, ...times(15, 0), 0]),
    ...segment(0xc4, [0x10, 1, ...times(15, 0), 0]),
  ]
  const scan = [...segment(0xda, [1, 1, 0x00, 0, 0, 0]), 0]
  return Uint8Array.from([
    0xff,
    0xd8,
    ...tables,
    ...Array.from({ length: scans }, () => scan).flat(),
    0xff,
    0xd9,
  ])
}

it('pictures/jpeg-bomb a file of few bytes and very many scans is given up', () => {
  expect(decodePicture(progressive(16, 16, 64))?.data.length).toBe(16 * 16 * 4)
  expect(decodePicture(progressive(16, 16, 65))).toBe(null)
  const large = progressive(4096, 4096, 17)
  expect(large.length).toBeLessThan(500)
  expect(() => tidyJpeg(large, MOST_PIXELS)).toThrow(/too many scans/)
  expect(() => tidyJpeg(progressive(4096, 4096, 16), MOST_PIXELS)).not.toThrow()
  expect(decodePicture(large)).toBe(null)
})

it('pictures/jpeg-bomb large sizes, a second header and endless tables are given up', () => {
  expect(decodePicture(progressive(65_535, 65_535, 1))).toBe(null)
  const [small, huge] = [progressive(16, 16, 1), progressive(65_535, 65_535, 1)]
  expect(decodePicture(Uint8Array.from([...small.subarray(0, -2), ...huge.subarray(2)]))).toBe(null)
  const table = [0xff, 0xc4, 0, 20, 0x10, 1, ...times(15, 0), 0]
  const tables = Array.from({ length: 1100 }, () => table).flat()
  const full = Uint8Array.from([0xff, 0xd8, ...tables, ...small.subarray(2)])
  expect(() => tidyJpeg(full, 256)).toThrow(/too many tables/)
})

it('pictures/tidy a tidied JPEG file keeps the pixels and drops the rest', () => {
  const jpeg = encodeJpeg(fill(40, 30, 0x40c080), 90)
  const profile = [0xff, 0xe2, 0, 6, 1, 0xff, 0xda, 4]
  const note = [0xff, 0xfe, 0, 4, 65, 66]
  const long = Uint8Array.from([
    ...jpeg.subarray(0, 2),
    ...profile,
    ...note,
    ...jpeg.subarray(2),
    ...new Uint8Array(99).fill(0xda),
  ])
  expect(tidyJpeg(long, 1200)).toEqual(jpeg)
  expect(decodePicture(long)).toEqual(decodePicture(jpeg))
})

it('pictures/other-bombs a GIF, WebP or BMP file is never unpacked, whatever size it declares', () => {
  const riff = 'RIFF\0\0\0\0WEBP'
  const large = {
    gif: text('GIF89a\xff\xff\xff\xff\xf7\0\0'),
    webp: text(`${riff}VP8X\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff`),
    lossless: text(`${riff}VP8L\0\0\0\0\x2f\xff\xff\xff\x0f`),
    bmp: text(`BM${'\0'.repeat(12)}\x28\0\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f`),
  }
  for (const [name, bytes] of Object.entries(large)) {
    expect([name, probeIntact(bytes), decodePicture(bytes)]).toEqual([name, null, null])
  }
})
