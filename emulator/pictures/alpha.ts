// Reads the kind of transparency from the headers of a file, as an image loader does.

import { hasAlphaChannel } from './computed.ts'
import type { Picture } from './picture.ts'
import { COLOUR_TYPE_AT, hasChunk } from './codecs/png-chunks.ts'
import { probePicture } from './codecs/probe.ts'

/**
 * `channel`: each pixel, or each palette colour, has an alpha value. `key`: one colour counts as transparent, without a
 * channel. `none`: all pixels are opaque.
 */
export type Alpha = 'channel' | 'key' | 'none'

/** The flags or bits of a WebP file are at fixed positions. */
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
  const type = bytes[COLOUR_TYPE_AT]
  if (type === 4 || type === 6) return 'channel'
  if (!hasChunk(bytes, 'tRNS')) return 'none'
  return type === 3 ? 'channel' : 'key'
}

/** The kind of transparency of a picture in a file. Nodes make opaque pictures, or pictures with four channels. */
export const alphaOf = (picture: Picture): Alpha => {
  if (picture.kind === 'stored') return alphaOfBytes(picture.bytes)
  if (picture.kind === 'computed') return hasAlphaChannel(picture) ? 'channel' : 'none'
  return picture.kind === 'masked' ? 'channel' : 'none'
}
