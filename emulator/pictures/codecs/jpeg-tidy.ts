// Sanitises untrusted JPEG files for the library that decodes them. It processes as many scans and tables as a file
// contains: each scan can cover every block of the picture in only a few bytes.

import { concat } from '../../lib/bytes.ts'
import { MOST_PIXELS } from './probe.ts'

/** Encoders write about ten. */
const MOST_SCANS = 64
/** The maximum of scans times pixels: the largest pictures can have so many scans. */
const MOST_SCANS_OF_LARGEST = 16
/** The maximum size of tables and headers, without segments that do not affect the pixels. */
const MOST_SEGMENTS = 1000

const START_OF_SCAN = 0xda
const END_OF_PICTURE = 0xd9
const COMMENT = 0xfe
/** JFIF and Adobe: the only application segments that define the meaning of the colours. */
const FIRST_APPLICATION = 0xe0
const ADOBE = 0xee
const LAST_APPLICATION = 0xef

const isIdle = (marker: number): boolean =>
  marker === COMMENT ||
  (marker > FIRST_APPLICATION && marker <= LAST_APPLICATION && marker !== ADOBE)

/** Markers that no length follows: TEM, RST0 to RST7, SOI. */
const isBare = (marker: number): boolean => marker === 1 || (marker >= 0xd0 && marker <= 0xd8)

/**
 * The same picture without texts, profiles and data after its end. Throws if it has more scans or tables than normal
 * files of this size.
 */
export const tidyJpeg = (bytes: Uint8Array, pixels: number): Uint8Array => {
  const parts: Uint8Array[] = [bytes.subarray(0, 2)]
  let at = 2
  while (at < bytes.length) {
    const start = bytes.indexOf(0xff, at)
    const marker = start < 0 ? END_OF_PICTURE : (bytes[start + 1] ?? END_OF_PICTURE)
    if (marker === END_OF_PICTURE) break
    if (marker === 0 || marker === 0xff || isBare(marker)) {
      at = start + (marker === 0xff ? 1 : 2)
      continue
    }
    const length = ((bytes[start + 2] ?? 0) << 8) | (bytes[start + 3] ?? 0)
    at = start + 2 + Math.max(2, length)
    if (marker === START_OF_SCAN) at = endOfScan(bytes, at)
    if (!isIdle(marker)) parts.push(bytes.subarray(start, at))
    if (parts.length > MOST_SEGMENTS) throw new RangeError('The picture has too many tables.')
  }
  const tidy = concat([...parts, Uint8Array.of(0xff, END_OF_PICTURE)])
  const scans = scansOf(tidy)
  if (scans > MOST_SCANS || scans * pixels > MOST_SCANS_OF_LARGEST * MOST_PIXELS) {
    throw new RangeError('The picture has too many scans.')
  }
  return tidy
}

/** The position of the next marker: within a scan, 0xff is followed by 0 or by the number of a restart. */
const endOfScan = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? END_OF_PICTURE
    if (next !== 0 && next !== 0xff && !isBare(next)) return at
  }
  return bytes.length
}

/** How often a scan may start, whichever way a reader parses the file: also inside tables. */
const scansOf = (bytes: Uint8Array): number => {
  let scans = 0
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] === START_OF_SCAN) scans++
  }
  return scans
}
