// Sanitises untrusted PNG files for the library that decodes them: nothing in the result is larger than the header
// states.

import { concat } from '../../lib/bytes.ts'
import { inflate, stored } from './inflate.ts'
import { chunk, contentsOf, pngOf } from './png-chunks.ts'

const HEADER_LENGTH = 13
const MOST_PALETTE_BYTES = 3 * 256
const MOST_TRANSPARENCY_BYTES = 256

/** The number of samples per pixel, by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** The seven passes of an interlaced file: where each starts, and the distances between its pixels. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/**
 * The same picture with only the required chunks, and with its rows uncompressed: the decoder would fail on an unusual
 * text or colour profile, and inflate rows without a limit. Inflates as many bytes as the header announces, and no
 * more. Throws if the file is damaged.
 */
export const tidyPng = (bytes: Uint8Array): Uint8Array => {
  const [header] = contentsOf(bytes, 'IHDR')
  if (header?.length !== HEADER_LENGTH) throw new RangeError('The picture has no header.')
  const [palette] = contentsOf(bytes, 'PLTE')
  const [transparency] = contentsOf(bytes, 'tRNS')
  const isTooLong =
    (palette?.length ?? 0) > MOST_PALETTE_BYTES ||
    (transparency?.length ?? 0) > MOST_TRANSPARENCY_BYTES
  if (isTooLong) throw new RangeError('The picture has more colours than a palette can hold.')
  const length = rowBytesOf(header)
  const rows = inflate(concat(contentsOf(bytes, 'IDAT')), length)
  if (rows.length < length) throw new RangeError('The picture has too few bytes.')
  return pngOf([
    chunk('IHDR', header),
    ...(palette ? [chunk('PLTE', palette)] : []),
    ...(transparency ? [chunk('tRNS', transparency)] : []),
    chunk('IDAT', stored(rows)),
    chunk('IEND'),
  ])
}

/** The size of the rows that a header announces, each with its filter byte. */
export const rowBytesOf = (header: Uint8Array): number => {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const bitsPerPixel = header[8]! * (CHANNELS[header[9]!] ?? 0)
  const rows = (across: number, down: number): number =>
    across === 0 ? 0 : down * (1 + Math.ceil((across * bitsPerPixel) / 8))
  const isInterlaced = header[12] === 1
  if (!isInterlaced) return rows(width, height)
  return PASSES.reduce(
    (sum, [x, y, stepX, stepY]) =>
      sum + rows(placesFrom(x, width, stepX), placesFrom(y, height, stepY)),
    0,
  )
}

const placesFrom = (first: number, length: number, step: number): number =>
  Math.max(0, Math.ceil((length - first) / step))
