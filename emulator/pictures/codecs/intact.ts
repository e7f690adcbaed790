// Checks whether a file can be decoded, without decoding it: the server accepts uploads before a decoder is loaded.

import { isWholePng } from './png-chunks.ts'
import { MOST_PIXELS, type Probe, probePicture } from './probe.ts'

/**
 * The size and format of a picture, or null if `bytes` are not a picture, are truncated or damaged, or have more than
 * MOST_PIXELS. Damage that checksums do not reveal goes unnoticed: such a picture is painted, not decoded.
 */
export const probeIntact = (bytes: Uint8Array): Probe | null => {
  const probe = probePicture(bytes)
  if (probe === null || probe.width * probe.height > MOST_PIXELS) return null
  if (probe.format === 'png' && !isWholePng(bytes)) return null
  return probe.format === 'jpeg' && !hasEndOfJpeg(bytes) ? null : probe
}

/** Whether the marker that ends a JPEG file occurs anywhere; readers ignore what follows. */
const hasEndOfJpeg = (bytes: Uint8Array): boolean => {
  let at = bytes.lastIndexOf(0xd9)
  while (at > 2 && bytes[at - 1] !== 0xff) at = bytes.lastIndexOf(0xd9, at - 1)
  return at > 2
}
