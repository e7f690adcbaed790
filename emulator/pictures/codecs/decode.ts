// Decodes uploaded PNG and JPEG files into pixels. The files are untrusted: they are sanitised before the libraries
// read them, so that a few bytes cannot keep the server busy or fill its memory, and all errors of a decoder are caught
// here. Of WebP, GIF and BMP files only the headers are read: no decoder can be attacked.

import { decode as decodePng, type DecodedPng } from 'fast-png'
import { decode as decodeJpeg } from 'jpeg-js'

import { blank, type Pixels } from '../pixels.ts'
import { tidyJpeg } from './jpeg-tidy.ts'
import { tidyPng } from './png-tidy.ts'
import { MOST_PIXELS, probePicture } from './probe.ts'

/** The pixels of a PNG or JPEG file, or null if `bytes` are neither, or damaged. */
export const decodePicture = (bytes: Uint8Array): Pixels | null => {
  const probe = probePicture(bytes)
  if (probe === null || probe.width * probe.height > MOST_PIXELS) return null
  try {
    if (probe.format === 'png') return toRgba(decodePng(tidyPng(bytes)))
    if (probe.format === 'jpeg') return fromJpeg(bytes, probe.width * probe.height)
  } catch {
    // A damaged file counts as absent: the caller paints something else.
  }
  return null
}

/** The library counts its allocations, and stops beyond this limit: enough for the largest picture in four colours. */
const maxMemoryUsageInMB = 512

const fromJpeg = (bytes: Uint8Array, pixels: number): Pixels => {
  const maxResolutionInMP = Math.ceil(MOST_PIXELS / 1e6)
  const options = { useTArray: true, maxResolutionInMP, maxMemoryUsageInMB } as const
  const { width, height, data } = decodeJpeg(tidyJpeg(bytes, pixels), options)
  return { width, height, data }
}

/** One pixel of a PNG in the file: 1 to 4 samples of `depth` bits. */
type Samples = readonly [number, number, number, number]

const toRgba = (png: DecodedPng): Pixels => {
  const { width, height, channels, depth, data } = png
  const line = Math.ceil((width * channels * Math.min(depth, 8)) / 8)
  if (data.length < line * height) throw new RangeError('the picture has too few bytes')
  const pixels = blank(width, height)
  const paint = painterOf(png, pixels.data)
  const sampleAt = depth < 8 ? packedReader(png, line) : (at: number) => data[at]!
  for (let at = 0; at < width * height; at++) {
    const from = at * channels
    paint(at * 4, [
      sampleAt(from),
      channels > 1 ? sampleAt(from + 1) : 0,
      channels > 2 ? sampleAt(from + 2) : 0,
      channels > 3 ? sampleAt(from + 3) : 0,
    ])
  }
  return pixels
}

/** Reads samples of 1, 2 or 4 bits. They have one channel, and rows start at whole bytes. */
const packedReader =
  ({ width, depth, data }: DecodedPng, line: number) =>
  (at: number): number => {
    const x = at % width
    const byte = data[Math.floor(at / width) * line + Math.floor((x * depth) / 8)]!
    return (byte >> (8 - depth - ((x * depth) % 8))) & ((1 << depth) - 1)
  }

type Painter = (to: number, samples: Samples) => void

const painterOf = (png: DecodedPng, out: Uint8Array): Painter => {
  if (png.palette) return palettePainter(png.palette, out)
  const { channels, transparency } = png
  const most = (1 << png.depth) - 1
  const toByte = (sample: number): number => Math.floor((sample * 255) / most + 0.5)
  const isClear = ([red, green, blue]: Samples): boolean =>
    transparency !== undefined &&
    red === transparency[0] &&
    (channels < 3 || (green === transparency[1] && blue === transparency[2]))
  return (to, samples) => {
    out[to] = toByte(samples[0])
    out[to + 1] = toByte(samples[channels < 3 ? 0 : 1])
    out[to + 2] = toByte(samples[channels < 3 ? 0 : 2])
    if (channels % 2 === 0) out[to + 3] = toByte(samples[channels === 2 ? 1 : 3])
    else out[to + 3] = isClear(samples) ? 0 : 255
  }
}

const palettePainter =
  (palette: readonly (readonly number[])[], out: Uint8Array): Painter =>
  (to, [index]) => {
    const color = palette[index]
    if (color === undefined) throw new RangeError('the picture leaves its palette')
    out.set(color, to)
    if (color.length < 4) out[to + 3] = 255
  }
