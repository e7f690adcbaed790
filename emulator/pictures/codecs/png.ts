// Writes PNG files: true colour, 8 bits a channel, with texts.

import { encode } from 'fast-png'

import { asciiJson } from '../../lib/ascii-json.ts'
import type { Pixels } from '../pixels.ts'
import { textsFirst } from './png-chunks.ts'

/** JSON texts for a file, each with its keyword. */
export type TextChunks = ReadonlyArray<readonly [keyword: string, json: string]>

/** Level 1 takes a third of the time of the default 6; the scenes compress well at any level. */
const LEVEL = 1

/**
 * A PNG file of `pixels`, without an alpha channel if all pixels are opaque and `keepsAlpha` is not set. Each pair of
 * `text` becomes a tEXt chunk before the pixels. The texts are JSON: characters beyond ASCII are written as \uXXXX, as
 * on real servers. Omits pairs with a keyword that PNG does not allow (1 to 79 printable Latin-1 characters); of equal
 * keywords the last one counts.
 */
export const encodePng = (
  pixels: Pixels,
  text: TextChunks = [],
  keepsAlpha = false,
): Uint8Array => {
  const texts = usableTexts(text)
  const png = encode(
    {
      ...(keepsAlpha ? { ...pixels, channels: 4 } : withoutIdleAlpha(pixels)),
      depth: 8,
      text: Object.fromEntries(texts),
    },
    { zlib: { level: LEVEL } },
  )
  return texts.length > 0 ? textsFirst(png) : png
}

/** The texts with valid keywords, as JSON in ASCII. */
export const usableTexts = (text: TextChunks): TextChunks =>
  text
    .filter(([keyword]) => /^[\x20-\x7e\xa1-\xff]{1,79}$/.test(keyword))
    .map(([keyword, json]) => [keyword, asciiJson(json)])

const withoutIdleAlpha = (pixels: Pixels): Pixels & { channels: number } => {
  const { width, height, data } = pixels
  for (let at = 3; at < data.length; at += 4) {
    if (data[at] !== 255) return { ...pixels, channels: 4 }
  }
  const rgb = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    rgb[to] = data[from]!
    rgb[to + 1] = data[from + 1]!
    rgb[to + 2] = data[from + 2]!
  }
  return { width, height, data: rgb, channels: 3 }
}
