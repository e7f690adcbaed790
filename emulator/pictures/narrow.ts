// Whether FFmpeg pads a picture to multiples of 32 pixels before a loader converts it [files/loaded-narrow]. It does not
// pad the formats that it decodes to bytes of red, green and blue, or to a palette.

import { COLOUR_TYPE_AT } from './codecs/png-chunks.ts'
import { probePicture } from './codecs/probe.ts'

/** The positions of the bits per sample in a PNG file and of the bits per pixel in a BMP file. */
const PNG_BITS_AT = 24
const BMP_BITS_AT = 28

/** The padded side; borders are copied from the picture, so that it must be at least as wide. */
const SIDE = 32

/** Whether the padding of a picture is wider or higher than the picture itself, which FFmpeg refuses. */
export function isTooNarrow(bytes: Uint8Array): boolean {
  const found = probePicture(bytes)
  if (found === null || found.width % SIDE === 0 || !isPadded(found.format, bytes)) return false
  return found.width < SIDE / 2 || found.height < SIDE / 2
}

function isPadded(format: string, bytes: Uint8Array): boolean {
  if (format === 'gif' || format === 'webp') return true
  if (format === 'bmp') return (bytes[BMP_BITS_AT] ?? 0) > 8
  if (format !== 'png') return false
  const [bits, type] = [bytes[PNG_BITS_AT], bytes[COLOUR_TYPE_AT]]
  const isPalette = type === 3
  const hasColours = type === 2 || type === 6
  return !isPalette && !(hasColours && bits === 8)
}
