// Writes WebP files with several pictures: still or animated, lossless, with texts as EXIF. webp.ts explains why no
// library does it.

import { concat, latin1, little } from '../../lib/bytes.ts'
import { type Frame, hasAlpha } from '../pixels.ts'
import { usableTexts, type TextChunks } from './png.ts'
import { encodeWebp } from './webp.ts'

/** The flags in the header. */
const HAS_ANIMATION = 0x02
const HAS_EXIF = 0x08
const HAS_ALPHA = 0x10
/** A frame replaces the previous one, without blending. */
const REPLACES = 0x02
const MOST_MS = 0xffffff
/** The signature and the length of the file, before the chunks. */
const HEAD_LENGTH = 12

/**
 * A WebP file that shows these frames, of one size, in a loop. The texts are in EXIF tags, from that of the camera
 * model downwards: keyword, colon, JSON. A single frame makes a still picture.
 */
export const encodeWebpAnimation = (frames: readonly Frame[], texts: TextChunks): Uint8Array => {
  const isStill = frames.length === 1
  const pictures = frames.map(({ pixels }) => encodeWebp(pixels).subarray(HEAD_LENGTH))
  const { width, height } = frames[0]!.pixels
  const size = [...little(width - 1, 3), ...little(height - 1, 3)]
  const exif = exifOf(usableTexts(texts))
  const isClear = frames.some(({ pixels }) => hasAlpha(pixels.data))
  const flags =
    (isStill ? 0 : HAS_ANIMATION) | (exif === undefined ? 0 : HAS_EXIF) | (isClear ? HAS_ALPHA : 0)
  const frameHeader = ({ shownMs }: Frame): Uint8Array =>
    Uint8Array.from([...little(0, 6), ...size, ...little(Math.min(shownMs, MOST_MS), 3), REPLACES])
  const shown = isStill
    ? pictures
    : pictures.map((picture, at) => chunk('ANMF', frameHeader(frames[at]!), picture))
  const content = concat([
    latin1('WEBP'),
    chunk('VP8X', Uint8Array.of(flags, 0, 0, 0, ...size)),
    // A transparent black background, and an endless loop.
    ...(isStill ? [] : [chunk('ANIM', new Uint8Array(6))]),
    ...shown,
    ...(exif === undefined ? [] : [chunk('EXIF', exif)]),
  ])
  return concat([latin1('RIFF'), little(content.length, 4), content])
}

const chunk = (name: string, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = concat(parts)
  const padding = new Uint8Array(content.length % 2)
  return concat([latin1(name), little(content.length, 4), content, padding])
}

/** The tag of the first text; the others have the ones below. */
const MODEL = 0x0110
/** The tag type for a text with a zero byte at its end. */
const ASCII = 2
/** A tag: its number, type, length, and the position of its text. */
const TAG_LENGTH = 12
/** Shorter texts would be inside the tag. */
const LEAST_LENGTH = 5

function exifOf(texts: TextChunks): Uint8Array | undefined {
  if (texts.length === 0) return undefined
  const tagged = texts
    .slice(0, MODEL)
    .map(([keyword, json], at) => ({
      tag: MODEL - at,
      text: latin1(`${keyword}:${json}`.padEnd(LEAST_LENGTH - 1) + '\0'),
    }))
    // Tags are in ascending order.
    .toReversed()
  let at = 8 + 2 + tagged.length * TAG_LENGTH + 4
  const tags = tagged.flatMap(({ tag, text }) => {
    const bytes = [
      ...little(tag, 2),
      ...little(ASCII, 2),
      ...little(text.length, 4),
      ...little(at, 4),
    ]
    at += text.length
    return bytes
  })
  const head = [...latin1('II'), ...little(42, 2), ...little(8, 4), ...little(tagged.length, 2)]
  return concat([
    Uint8Array.from([...head, ...tags, ...little(0, 4)]),
    ...tagged.map(({ text }) => text),
  ])
}
