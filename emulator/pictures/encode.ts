// Encodes pictures and previews, and caches the bytes: several clients request the same ones.

import { MOST_NUMBERS, TooMuch } from '../compute/index.ts'
import { hash53 } from '../lib/random.ts'
import { alphaOf } from './alpha.ts'
import { encodeApng } from './codecs/apng.ts'
import { encodeJpeg, encodeJpegMosaic } from './codecs/jpeg.ts'
import { mosaicOf, paint, paintPreview } from './paint.ts'
import type { FrameImage, Picture, PictureFile, PictureFormat, Preview } from './picture.ts'
import { type Budget, framesOf, onlyChannels } from './pixels.ts'
import { encodePng } from './codecs/png.ts'
import { withTextChunks } from './codecs/png-chunks.ts'
import { encodeWebpAnimation } from './codecs/webp-animation.ts'
import { encodeWebp } from './codecs/webp.ts'
import { padded } from './codecs/padding.ts'

/** The file of `picture` in its original size; JPEG at quality 95. Shared: do not write to it. */
export const encodePicture = (picture: Picture, format: PictureFormat): Uint8Array =>
  encodeFile({ picture, format, text: [] })

/** The bytes of a file of a picture, or undefined if they take more than so many numbers to compute. */
export const encodeWithin = (file: PictureFile, left: number): Uint8Array | undefined => {
  try {
    return encodeFile(file, { left, isStrict: true })
  } catch (error) {
    if (error instanceof TooMuch) return undefined
    throw error
  }
}

/** The bytes of a file of a picture. Shared: do not write to them. */
export const encodeFile = (file: PictureFile, budget?: Budget): Uint8Array => {
  const { picture, animation, format, text, textChunks, quality = JPEG_QUALITY, channels } = file
  const bytes = cacheBytes(keyOfFile(file), () => {
    if (animation !== undefined) return encodeAnimation(file, animation, budget)
    const pixels = paint(picture, budget)
    const isPart = channels === 'rgb' || channels === 'a'
    const shown = isPart ? onlyChannels(pixels, channels) : pixels
    if (format === 'webp') return encodeWebp(shown)
    if (format === 'jpeg') return encodeJpeg(shown, quality)
    const keepsAlpha = channels === 'a' || channels === 'rgba' || hasAlpha(picture)
    return encodePng(shown, text, keepsAlpha && channels !== 'rgb')
  })
  return textChunks === undefined ? bytes : withTextChunks(bytes, textChunks)
}

/** What identifies a file, if the cache does not contain its bytes. */
export const uncachedFile = (file: PictureFile): string | undefined => {
  const key = keyOfFile(file)
  return files.has(key) ? undefined : key
}

/** Caches the bytes of a file that were encoded elsewhere, without those of its `textChunks`. */
export const cacheFile = (file: PictureFile, bytes: Uint8Array): void => {
  cacheBytes(keyOfFile(file), () => bytes)
}

/** The keys of requested files: their texts are long. */
const fileKeys = new WeakMap<PictureFile, string>()

const keyOfFile = (file: PictureFile): string => {
  const known = fileKeys.get(file)
  if (known !== undefined) return known
  const { picture, animation, format, text, quality = JPEG_QUALITY, channels } = file
  const texts = text.length === 0 ? '' : ` ${hash53(JSON.stringify(text))}`
  const more = animation === undefined ? '' : ` ${JSON.stringify(animationKey(animation))}`
  const key = `${pictureKey(picture)} ${format} ${quality} ${channels}${texts}${more}`
  fileKeys.set(file, key)
  return key
}

/** The file of one step of `preview`, like `encodePicture`. */
export const encodePreview = (preview: Preview, format: PictureFormat): Uint8Array => {
  const bytes = cacheBytes(keyOfPreview(preview, format), () => {
    if (format === 'png') return encodePng(paintPreview(preview))
    return encodeJpegMosaic(mosaicOf(preview), JPEG_QUALITY)
  })
  return padded(bytes, format, preview.minBytes ?? 0)
}

const keyOfPreview = ({ of, step, steps, maxSize }: Preview, format: PictureFormat): string =>
  `${pictureKey(of)} ${step}/${steps} ${maxSize} ${format}`

/** The bytes of the picture of a frame. Shared: do not write to them. */
export const encodeImage = ({ image, format }: FrameImage): Uint8Array =>
  'step' in image ? encodePreview(image, format) : encodePicture(image, format)

const keyOfImage = ({ image, format }: FrameImage): string =>
  'step' in image ? keyOfPreview(image, format) : keyOfFile({ picture: image, format, text: [] })

/** What identifies the picture of a frame, if the cache does not contain its bytes. */
export const uncachedImage = (of: FrameImage): string | undefined => {
  const key = keyOfImage(of)
  return files.has(key) ? undefined : key
}

/** Caches the bytes of the picture of a frame that were encoded elsewhere, without its padding. */
export const cacheImage = (of: FrameImage, bytes: Uint8Array): void => {
  cacheBytes(keyOfImage(of), () => bytes)
}

const JPEG_QUALITY = 95

type Animation = NonNullable<PictureFile['animation']>

/** All frames together are computed within one budget. */
const encodeAnimation = (
  { picture, format, text }: PictureFile,
  { rest, frameMs }: Animation,
  budget: Budget = { left: MOST_NUMBERS },
) => {
  const pictures = [picture, ...rest].map((one) => paint(one, budget))
  const frames = framesOf(pictures, frameMs)
  return format === 'webp'
    ? encodeWebpAnimation(frames, text)
    : encodeApng(frames, text, hasAlpha(picture))
}

const hasAlpha = (picture: Picture): boolean => alphaOf(picture) === 'channel'

const animationKey = ({ rest, frameMs }: Animation) => [frameMs, ...rest.map(pictureKey)]

const pictureKey = ({ kind, id, width, height }: Picture): string =>
  `${kind} ${id} ${width}x${height}`

const MOST_BYTES = 32 * 1024 * 1024
/** The latest files, the newest last. */
const files = new Map<string, Uint8Array>()
let bytesKept = 0

const cacheBytes = (key: string, make: () => Uint8Array): Uint8Array => {
  const known = files.get(key)
  if (known !== undefined) return known
  const bytes = make()
  files.set(key, bytes)
  bytesKept += bytes.length
  for (const [oldest, { length }] of files) {
    // The newest stays, however large: it is about to be sent.
    if (bytesKept <= MOST_BYTES || oldest === key) break
    files.delete(oldest)
    bytesKept -= length
  }
  return bytes
}
