// How much work a file is to encode, in pixels of a painted picture.

import { BLOCK } from './codecs/blocks.ts'
import { isVideo, type MediaFile, type Picture } from './picture.ts'

/** Of everything that the file is made of. */
export function pixelsOf(file: MediaFile): number {
  if ('sound' in file) return (file.sound.samples * file.sound.channels) / SAMPLES_A_PIXEL
  const { picture, animation, format } = file
  // Of a block of a video only some samples are painted, unless a node computes its picture.
  const share = isVideo(format) && picture.kind !== 'computed' ? SAMPLES_A_BLOCK / BLOCK ** 2 : 1
  return pixelsIn(picture) * (1 + (animation?.rest.length ?? 0)) * share
}

const SAMPLES_A_PIXEL = 4
const SAMPLES_A_BLOCK = 16

function pixelsIn(picture: Picture): number {
  let pixels = 0
  let next: Picture | undefined = picture
  while (next !== undefined) {
    const own = next.width * next.height
    pixels += next.kind === 'computed' ? Math.max(own, next.effort / 4) : own
    next = 'of' in next && next.kind !== 'computed' ? next.of : undefined
  }
  return pixels
}
