// The bytes of pictures and previews, made once and kept a while: many ask for the same.

import { hash53 } from '../random.ts'
import { encodeJpeg } from './jpeg.ts'
import { paint, paintPreview, type Pixels } from './paint.ts'
import type { Picture, PictureFormat, Preview } from './picture.ts'
import { encodePng } from './png.ts'

/** Texts in a picture file: keyword and text. */
type Texts = ReadonlyArray<readonly [keyword: string, text: string]>

/**
 * The file of `picture` in its own size; JPEG at quality 95. `text` goes into PNG files only.
 * Shared with others: do not write to it.
 */
export const encodePicture = (
  picture: Picture,
  format: PictureFormat,
  text: Texts = [],
): Uint8Array => {
  const texts = text.length === 0 ? '' : ` ${hash53(JSON.stringify(text))}`
  return keep(`${keyOf(picture)} ${format}${texts}`, () => encode(paint(picture), format, text))
}

/** The file of one step of `preview`, as `encodePicture` makes it. */
export const encodePreview = (preview: Preview, format: PictureFormat): Uint8Array => {
  const { of, step, steps, maxSize } = preview
  return keep(`${keyOf(of)} ${step}/${steps} ${maxSize} ${format}`, () =>
    encode(paintPreview(preview), format),
  )
}

const JPEG_QUALITY = 95

const encode = (pixels: Pixels, format: PictureFormat, text: Texts = []): Uint8Array =>
  format === 'jpeg' ? encodeJpeg(pixels, JPEG_QUALITY) : encodePng(pixels, text)

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
