// Encodes pictures and previews, and caches the bytes: several clients request the same ones.

import { createRead, MOST_NUMBERS, TooMuch } from '../compute/index.ts'
import { hash53 } from '../lib/random.ts'
import { encodeSound } from '../sounds/encode.ts'
import { alphaOf } from './alpha.ts'
import { encodeApng } from './codecs/apng.ts'
import { encodeJpeg, encodeJpegMosaic } from './codecs/jpeg.ts'
import { mosaicOf, paint, paintPreview } from './paint.ts'
import {
  type Animation,
  type FrameImage,
  type MediaFile,
  type Picture,
  type PictureFile,
  type PictureFormat,
  type Preview,
  type Sound,
  type SoundFile,
  isVideo,
} from './picture.ts'
import { type Budget, framesOf, onlyChannels } from './pixels.ts'
import { encodePng, usableTexts } from './codecs/png.ts'
import { withTextChunks } from './codecs/png-chunks.ts'
import { encodeWebpAnimation } from './codecs/webp-animation.ts'
import { encodeWebp } from './codecs/webp.ts'
import { padded } from './codecs/padding.ts'
import { encodeVideo } from './video.ts'

/** The file of `picture` in its original size; JPEG at quality 95. Shared: do not write to it. */
export const encodePicture = (picture: Picture, format: PictureFormat): Uint8Array =>
  encodeFile({ picture, format, text: [] })

/** The bytes of a file, or undefined if they take more than so many numbers to compute. */
export const encodeWithin = (file: MediaFile, left: number): Uint8Array | undefined => {
  try {
    return encodeFile(file, { left, isStrict: true })
  } catch (error) {
    if (error instanceof TooMuch) return undefined
    throw error
  }
}

/** The bytes of a file of pictures or of a sound. Shared: do not write to them. */
export const encodeFile = (file: MediaFile, budget?: Budget): Uint8Array =>
  'sound' in file
    ? cacheBytes(keyOfFile(file), () => encodeSoundFile(file, budget))
    : encodePictureFile(file, budget)

const encodeSoundFile = (file: SoundFile, budget: Budget = { left: MOST_NUMBERS }): Uint8Array =>
  encodeSound(
    { ...file, text: usableTexts(file.text) },
    createRead((picture) => paint(picture, budget), budget),
    budget.isStrict === true,
  )

const encodePictureFile = (file: PictureFile, budget?: Budget): Uint8Array => {
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
export const uncachedFile = (file: MediaFile): string | undefined => {
  const key = keyOfFile(file)
  return files.has(key) ? undefined : key
}

/** Caches the bytes of a file that were encoded elsewhere, without those of its `textChunks`. */
export const cacheFile = (file: MediaFile, bytes: Uint8Array): void => {
  cacheBytes(keyOfFile(file), () => bytes)
}

/** The keys of requested files: their texts are long. */
const fileKeys = new WeakMap<MediaFile, string>()

const keyOfFile = (file: MediaFile): string => {
  const known = fileKeys.get(file)
  if (known !== undefined) return known
  const { text } = file
  const texts = text.length === 0 ? '' : ` ${hash53(JSON.stringify(text))}`
  const own = 'sound' in file ? `${soundKey(file.sound)} ${file.format}` : keyOfPicture(file)
  const key = `${own}${texts}`
  fileKeys.set(file, key)
  return key
}

const keyOfPicture = (file: PictureFile): string => {
  const { picture, animation, format, quality = JPEG_QUALITY, channels } = file
  const more = animation === undefined ? '' : ` ${JSON.stringify(animationKey(animation))}`
  return `${pictureKey(picture)} ${format} ${quality} ${channels}${more}`
}

const soundKey = ({ id, rate, channels, samples, index }: Sound): string =>
  `sound ${id} ${index} ${rate} ${channels} ${samples}`

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

/** All frames together are computed within one budget. */
const encodeAnimation = (
  { picture, format, text }: PictureFile,
  animation: Animation,
  budget: Budget = { left: MOST_NUMBERS },
) => {
  if (isVideo(format)) return encodeVideo({ picture, text }, format, animation, budget)
  const { rest, frameMs } = animation
  const pictures = [picture, ...rest].map((one) => paint(one, budget))
  const frames = framesOf(pictures, frameMs)
  return format === 'webp'
    ? encodeWebpAnimation(frames, text)
    : encodeApng(frames, text, hasAlpha(picture))
}

const hasAlpha = (picture: Picture): boolean => alphaOf(picture) === 'channel'

const animationKey = ({ rest, frameMs, sound }: Animation) => [
  frameMs,
  ...(sound === undefined ? [] : [soundKey(sound)]),
  ...rest.map(pictureKey),
]

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
