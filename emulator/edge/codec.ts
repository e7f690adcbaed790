// The picture codecs. They load with the first request that can need a picture, together with the other parts of a server
// that load on demand, so that it starts fast.

import type * as Pictures from '../pictures/encode.ts'
import type { Picture, PictureFormat, Preview } from '../pictures/picture.ts'

type PictureModule = typeof Pictures

export type Codec = {
  /**
   * Waits until all is loaded: for inputs that can need it, and for all that arrive while it loads, so that requests stay
   * in order. Undefined if there is nothing to wait for.
   */
  readonly ready: (isNeeded: boolean) => Promise<void> | undefined
  /** The bytes of an image; call it only after `ready`. */
  readonly encodeImage: (image: Picture | Preview, format: PictureFormat) => Uint8Array
  /** The bytes of a picture file; call it only after `ready`. */
  readonly encodeFile: PictureModule['encodeFile']
  /** The bytes of a picture file that takes little to compute, or undefined; call it only after `ready`. */
  readonly encodeWithin: PictureModule['encodeWithin']
  /** Whether the bytes of a picture file are known; call it only after `ready`. */
  readonly isKept: PictureModule['isFileCached']
  /** Keeps the bytes of a picture file; call it only after `ready`. */
  readonly keepFile: PictureModule['cacheFile']
}

export function createCodec(): Codec {
  let codec: PictureModule | undefined
  let loading: Promise<void> | undefined
  const load = async (): Promise<void> => {
    const [pictures, { provideOnDemand }] = await Promise.all([
      import('../pictures/encode.ts'),
      import('../server/local/provide-on-demand.ts'),
    ])
    provideOnDemand()
    codec = pictures
  }
  const ready = (isNeeded: boolean): Promise<void> | undefined => {
    if (codec !== undefined) return undefined
    if (isNeeded) loading ??= load()
    return loading
  }
  const encodeImage: Codec['encodeImage'] = (image, format) =>
    'step' in image
      ? (codec as PictureModule).encodePreview(image, format)
      : (codec as PictureModule).encodePicture(image, format)
  const encodeFile: Codec['encodeFile'] = (file) => (codec as PictureModule).encodeFile(file)
  const encodeWithin: Codec['encodeWithin'] = (file, left) =>
    (codec as PictureModule).encodeWithin(file, left)
  const isKept: Codec['isKept'] = (file) => (codec as PictureModule).isFileCached(file)
  const keepFile: Codec['keepFile'] = (file, bytes) =>
    (codec as PictureModule).cacheFile(file, bytes)
  return { ready, encodeImage, encodeFile, encodeWithin, isKept, keepFile }
}
