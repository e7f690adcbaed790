// The bytes of pictures and previews, made once and kept for a while: many clients ask for the same.

import { encodeJpeg } from './jpeg.ts'
import { paint, paintPreview, type Pixels } from './paint.ts'
import type { Picture, PictureFormat, Preview } from './picture.ts'
import { encodePng } from './png.ts'

/** The file of `picture` in its own size; JPEG at quality 95. Shared with others: do not write to it. */
export const encodePicture = (picture: Picture, format: PictureFormat): Uint8Array =>
  keep(`${keyOf(picture)} ${format}`, () => encode(paint(picture), format))

/** The file of one step of `preview`, as `encodePicture` makes it. */
export const encodePreview = (preview: Preview, format: PictureFormat): Uint8Array => {
  const { of, step, steps, maxSize } = preview
  return keep(`${keyOf(of)} ${step}/${steps} ${maxSize} ${format}`, () =>
    encode(paintPreview(preview), format),
  )
}

const JPEG_QUALITY = 95

const encode = (pixels: Pixels, format: PictureFormat): Uint8Array =>
  format === 'jpeg' ? encodeJpeg(pixels, JPEG_QUALITY) : encodePng(pixels)

const keyOf = ({ kind, id, width, height }: Picture): string => `${kind} ${id} ${width}x${height}`

const MOST_BYTES = 32 * 1024 * 1024
/** The files made last, the newest at the end. */
const files = new Map<string, Uint8Array>()
let bytesKept = 0

const keep = (key: string, make: () => Uint8Array): Uint8Array => {
  const known = files.get(key)
  if (known !== undefined) return known
  const bytes = make()
  files.set(key, bytes)
  bytesKept += bytes.length
  for (const [oldest, { length }] of files) {
    if (bytesKept <= MOST_BYTES) break
    files.delete(oldest)
    bytesKept -= length
  }
  return bytes
}
