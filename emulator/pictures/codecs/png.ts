// Writes PNG files: true colour, 8 bits a channel, with texts.

import { zlibSync } from 'fflate'

import { asciiJson } from '../../lib/ascii-json.ts'
import { latin1 } from '../../lib/bytes.ts'
import { hasAlpha, type Pixels } from '../pixels.ts'
import { chunk, pngOf } from './png-chunks.ts'

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
  const { width, height, data } = pixels
  const channels = keepsAlpha || hasAlpha(data) ? 4 : 3
  const texts = Object.entries(Object.fromEntries(usableTexts(text)))
  return pngOf([
    chunk('IHDR', headerOf(width, height, channels)),
    ...texts.map(([keyword, json]) => chunk('tEXt', latin1(`${keyword}\0${json}`))),
    chunk('IDAT', zlibSync(rowsOf(pixels, channels), { level: LEVEL })),
    chunk('IEND'),
  ])
}

/** The texts with valid keywords, as JSON in ASCII. */
export const usableTexts = (text: TextChunks): TextChunks =>
  text
    .filter(([keyword]) => /^[\x20-\x7e\xa1-\xff]{1,79}$/.test(keyword))
    .map(([keyword, json]) => [keyword, asciiJson(json)])

/** 8 bits a channel, with colours and maybe alpha; not interlaced. */
const headerOf = (width: number, height: number, channels: number): Uint8Array => {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header[8] = 8
  header[9] = channels === 4 ? 6 : 2
  return header
}

/** The rows of a file: before each one, a zero says that it is not filtered. */
const rowsOf = ({ width, height, data }: Pixels, channels: number): Uint8Array => {
  const rows = new Uint8Array(height * (1 + width * channels))
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    to++
    const end = from + width * 4
    if (channels === 4) {
      rows.set(data.subarray(from, end), to)
      to += end - from
      from = end
      continue
    }
    for (; from < end; from += 4, to += 3) {
      rows[to] = data[from]!
      rows[to + 1] = data[from + 1]!
      rows[to + 2] = data[from + 2]!
    }
  }
  return rows
}
