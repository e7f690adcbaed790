// Tells whether a file can be decoded, without decoding it: the server decides on uploads before a decoder is loaded.

import { isWholePng } from './png-chunks.ts'
import { MOST_PIXELS, type Probe, probePicture } from './probe.ts'

/**
 * What the headers of a picture say, or null where `bytes` are no picture, one that is cut off or damaged, or one of
 * more than MOST_PIXELS. A damage that checksums do not show goes unnoticed: such a picture is painted, not decoded.
 */
export const probeIntact = (bytes: Uint8Array): Probe | null => {
  const probe = probePicture(bytes)
  if (probe === null || probe.width * probe.height > MOST_PIXELS) return null
  if (probe.format === 'png' && !isWholePng(bytes)) return null
  return probe.format === 'jpeg' && !hasEndOfJpeg(bytes) ? null : probe
}

/** Whether the marker that ends a JPEG file stands somewhere; readers do not mind what comes after. */
const hasEndOfJpeg = (bytes: Uint8Array): boolean => {
  let at = bytes.lastIndexOf(0xd9)
  while (at > 2 && bytes[at - 1] !== 0xff) at = bytes.lastIndexOf(0xd9, at - 1)
  return at > 2
}
