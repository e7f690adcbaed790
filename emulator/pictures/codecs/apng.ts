// Writes animated PNG files: the pixels of each frame as in a PNG file, preceded by its duration.

import { latin1 } from '../../lib/bytes.ts'
import { type Frame, hasAlpha } from '../pixels.ts'
import { encodePng, type TextChunks, usableTexts } from './png.ts'
import { chunk, contentsOf, pngOf } from './png-chunks.ts'

/** The duration of a frame is a fraction of a second in its lowest terms, in 16 bits each. */
const PER_SECOND = 1000
const MOST_TIME = 0xffff

/**
 * A PNG file that shows these frames, which have one size, again and again.
 * Each text becomes a comf chunk after the pixels: keyword, zero byte, JSON. A single frame makes a still picture.
 */
export const encodeApng = (
  frames: readonly Frame[],
  texts: TextChunks,
  keepsAlpha = false,
): Uint8Array => {
  // All frames have an alpha channel if one has.
  const isClear = keepsAlpha || frames.some(({ pixels }) => hasAlpha(pixels.data))
  const files = frames.map(({ pixels }) => encodePng(pixels, [], isClear))
  const isStill = frames.length === 1
  const head = isStill ? [] : [chunk('acTL', numbers(frames.length, 0))]
  let sequence = 0
  const body = files.flatMap((file, at) => {
    const control = isStill ? [] : [chunk('fcTL', frameControl(frames[at]!, sequence++))]
    const data = contentsOf(file, 'IDAT').map((content) =>
      at === 0 ? chunk('IDAT', content) : chunk('fdAT', numbers(sequence++), content),
    )
    return [...control, ...data]
  })
  const tail = usableTexts(texts).map(([keyword, json]) =>
    chunk('comf', latin1(`${keyword}\0${json}`)),
  )
  const [header = new Uint8Array()] = contentsOf(files[0]!, 'IHDR')
  return pngOf([chunk('IHDR', header), ...head, ...body, ...tail, chunk('IEND')])
}

/** The part of the picture that a frame covers, here all of it, and its duration. */
const frameControl = ({ pixels, shownMs }: Frame, sequence: number): Uint8Array => {
  const bytes = new Uint8Array(26)
  bytes.set(numbers(sequence, pixels.width, pixels.height))
  const view = new DataView(bytes.buffer)
  const common = commonDivisor(shownMs, PER_SECOND)
  // Durations that no fraction holds are in whole seconds.
  const [time, perSecond] =
    shownMs / common > MOST_TIME
      ? [Math.min(Math.round(shownMs / PER_SECOND), MOST_TIME), 1]
      : [shownMs / common, PER_SECOND / common]
  view.setUint16(20, time)
  view.setUint16(22, perSecond)
  return bytes
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

const numbers = (...values: readonly number[]): Uint8Array => {
  const bytes = new Uint8Array(4 * values.length)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of values.entries()) view.setUint32(4 * at, value)
  return bytes
}
