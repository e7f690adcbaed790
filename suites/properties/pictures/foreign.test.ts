// What holds for uploaded files of any origin: the header reader and the painter survive them.

import * as fc from 'fast-check'
import { encode as encodeAnyPng } from 'fast-png'
import { expect, it } from 'vitest'

import { encodeJpeg, encodePng, paint, probePicture } from '../../../dist/emulator/internal.js'
import { painted, stored } from '../../support/pictures.ts'
import { runs } from '../../support/effort.ts'

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

const HEADERS = ['', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', '\xff\xd8\xff', 'GIF89a', 'BM', 'RIFF']
const png = encodePng(paint(painted(1, 20, 10)))
const jpeg = encodeJpeg(paint(painted(1, 20, 10)), 80)

/** Files with a few bytes changed and some of the end missing, and bytes after known beginnings. */
const hostile = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(png, jpeg),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      fc.nat(),
    )
    .map(([file, changes, length]) => {
      const bytes = file.slice(0, length % 2 === 0 ? undefined : length % file.length)
      for (const [at, byte] of changes) bytes[at % (bytes.length || 1)] = byte
      return bytes
    }),
  fc
    .tuple(fc.constantFrom(...HEADERS), fc.uint8Array({ maxLength: 80 }))
    .map(([header, rest]) => Uint8Array.of(...bytesOf(header), ...rest)),
)

it('pictures/hostile no bytes make the header reader or the painter throw', () => {
  const property = (bytes: Uint8Array): void => {
    const probe = probePicture(bytes)
    if (probe !== null) expect(Math.min(probe.width, probe.height)).toBeGreaterThan(0)
    expect(paint(stored(bytes, 6, 4)).data.length).toBe(96)
  }
  fc.assert(fc.property(hostile, property), { seed: 5, numRuns: runs(500) })
})

it('pictures/undecodable an undecodable file is shown as the scene of its id', () => {
  const scene = paint(painted(5, 30, 20))
  for (const bytes of [bytesOf(''), bytesOf('GIF89a\x1e\0\x14\0'), png.slice(0, 60)]) {
    expect(paint(stored(bytes, 30, 20))).toEqual(scene)
  }
})

it('pictures/bomb a file that declares a very large size is not decoded', () => {
  const huge = png.slice()
  new DataView(huge.buffer).setUint32(16, 4097)
  new DataView(huge.buffer).setUint32(20, 4096)
  expect(probePicture(huge)).toEqual({ format: 'png', width: 4097, height: 4096 })
  expect(paint(stored(huge, 30, 20))).toEqual(paint(painted(5, 30, 20)))
})

it('pictures/png-forms a PNG file may be grey, deep or of a palette', () => {
  const rgbaOf = (image: Parameters<typeof encodeAnyPng>[0]): number[] => [
    ...paint(stored(encodeAnyPng(image), image.width, image.height)).data,
  ]
  const size = { width: 2, height: 1 }
  expect(rgbaOf({ ...size, channels: 2, data: Uint8Array.of(7, 8, 9, 255) })).toEqual([
    7, 7, 7, 8, 9, 9, 9, 255,
  ])
  const deep = Uint16Array.of(0, 0x8080, 0xffff, 0x0101, 0x0202, 0x0303)
  expect(rgbaOf({ ...size, channels: 3, depth: 16, data: deep })).toEqual([
    0, 128, 255, 255, 1, 2, 3, 255,
  ])
  const palette = [
    [1, 2, 3],
    [4, 5, 6],
  ]
  const bits = {
    ...size,
    channels: 1,
    depth: 1,
    palette,
    data: Uint8Array.of(0b0100_0000),
  } as const
  expect(rgbaOf(bits)).toEqual([1, 2, 3, 255, 4, 5, 6, 255])
})

it('pictures/probe the header reader knows the formats that browsers send', () => {
  const probe = (text: string): unknown => probePicture(bytesOf(text))
  const size = { width: 258, height: 3 }
  expect(probe('GIF87a\x02\x01\x03\x00')).toEqual({ format: 'gif', ...size })
  const bitmap = `BM${'\0'.repeat(12)}\x28\0\0\0\x02\x01\0\0`
  expect(probe(`${bitmap}\x03\0\0\0`)).toEqual({ format: 'bmp', ...size })
  expect(probe(`${bitmap}\xfd\xff\xff\xff`)).toEqual({ format: 'bmp', ...size })
  const riff = 'RIFF\0\0\0\0WEBP'
  const lossy = `${riff}VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x02\x01\x03\0`
  expect(probe(lossy)).toEqual({ format: 'webp', ...size })
  expect(probe(`${riff}VP8L\0\0\0\0\x2f\x01\x81\0\0`)).toEqual({ format: 'webp', ...size })
  const extended = `${riff}VP8X\0\0\0\0\0\0\0\0\x01\x01\0\x02\0\0`
  expect(probe(extended)).toEqual({ format: 'webp', ...size })
  const rotated = '\xff\xd8\xff\xe1\0\x04ab\xff\xff\xc2\0\x11\x08\0\x03\x01\x02'
  expect(probe(rotated)).toEqual({ format: 'jpeg', ...size })
  for (const text of [lossy, extended, rotated, bitmap]) expect(probe(text.slice(0, -1))).toBe(null)
  expect(probe('GIF87a\0\0\x03\0')).toBe(null)
})
