// Makes the file of a picture longer by content that every decoder skips: clients have limits for messages, and a picture
// of many pixels would take too long to make.

import { concat } from '../../lib/bytes.ts'
import type { PictureFormat } from '../picture.ts'
import { chunk, FRAME_LENGTH, withTextChunks } from './png-chunks.ts'

/** The file with at least so many bytes. */
export function padded(bytes: Uint8Array, format: PictureFormat, atLeast: number): Uint8Array {
  const missing = atLeast - bytes.length
  if (missing <= 0) return bytes
  return format === 'png' ? padPng(bytes, missing) : padJpeg(bytes, missing)
}

/** The parts of a JPEG comment besides its content. */
const COMMENT_FRAME = 4
const MOST_COMMENT = 65_533

/** In an optional, private chunk. */
const padPng = (bytes: Uint8Array, missing: number): Uint8Array =>
  withTextChunks(bytes, chunk('paDd', new Uint8Array(Math.max(0, missing - FRAME_LENGTH))))

/** In comments behind the start of the image. */
function padJpeg(bytes: Uint8Array, missing: number): Uint8Array {
  const comments: Uint8Array[] = []
  for (let left = missing; left > 0; left -= MOST_COMMENT + COMMENT_FRAME) {
    const length = Math.min(Math.max(0, left - COMMENT_FRAME), MOST_COMMENT)
    const comment = new Uint8Array(COMMENT_FRAME + length)
    comment.set([0xff, 0xfe, (length + 2) >> 8, (length + 2) & 255])
    comments.push(comment)
  }
  return concat([bytes.subarray(0, 2), ...comments, bytes.subarray(2)])
}
