// Tells from the headers of a file what it says about transparency, as a loader of pictures looks at it.

import type { Picture } from '../picture.ts'
import { hasChunk } from './png-chunks.ts'
import { probePicture } from './probe.ts'

/**
 * `channel`: each pixel, or each colour of a palette, has an alpha of its own. `key`: one colour counts as
 * transparent, which is no channel. `none`: all pixels are opaque.
 */
export type Alpha = 'channel' | 'key' | 'none'

/** Where a PNG file tells its colour type; a WebP file has its flags, or its bits, at fixed places too. */
const PNG_COLOUR_TYPE_AT = 25
const EXTENDED_WEBP_FLAGS_AT = 20
const LOSSLESS_WEBP_FLAG_AT = 24
const WEBP_ALPHA = 0x10

const alphaOfBytes = (bytes: Uint8Array): Alpha => {
  const format = probePicture(bytes)?.format
  if (format === 'png') return alphaOfPng(bytes)
  if (format !== 'webp') return 'none'
  const kind = String.fromCharCode(...bytes.subarray(12, 16))
  const at = { VP8X: EXTENDED_WEBP_FLAGS_AT, VP8L: LOSSLESS_WEBP_FLAG_AT }[kind]
  return at !== undefined && ((bytes[at] ?? 0) & WEBP_ALPHA) !== 0 ? 'channel' : 'none'
}

/** Colour types 4 and 6 have an alpha channel, 3 is a palette. */
const alphaOfPng = (bytes: Uint8Array): Alpha => {
  const type = bytes[PNG_COLOUR_TYPE_AT]
  if (type === 4 || type === 6) return 'channel'
  if (!hasChunk(bytes, 'tRNS')) return 'none'
  return type === 3 ? 'channel' : 'key'
}

/** What a picture that came from a file says about transparency. What nodes make is opaque. */
export const alphaOf = (picture: Picture): Alpha => {
  if (picture.kind === 'stored') return alphaOfBytes(picture.bytes)
  return picture.kind === 'masked' ? 'channel' : 'none'
}
