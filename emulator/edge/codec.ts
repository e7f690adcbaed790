// The picture codecs. They load with the first request that can need a picture, together with the other parts of a server
// that load on demand, so that it starts fast.

import type * as Pictures from '../pictures/encode.ts'

type PictureModule = typeof Pictures

export type Codec = {
  /**
   * Waits until all is loaded: for inputs that can need it, and for all that arrive while it loads, so that requests stay
   * in order. Undefined if there is nothing to wait for.
   */
  readonly ready: (isNeeded: boolean) => Promise<void> | undefined
  /** The bytes of an image; call it only after `ready`. */
  readonly encodeImage: PictureModule['encodeImage']
  /** The bytes of a picture file; call it only after `ready`. */
  readonly encodeFile: PictureModule['encodeFile']
  /** The bytes of a picture file that takes little to compute, or undefined; call it only after `ready`. */
  readonly encodeWithin: PictureModule['encodeWithin']
  /** What identifies a picture file whose bytes are not known; call it only after `ready`. */
  readonly unknownFile: PictureModule['uncachedFile']
  /** Keeps the bytes of a picture file; call it only after `ready`. */
  readonly keepFile: PictureModule['cacheFile']
  /** What identifies an image whose bytes are not known; call it only after `ready`. */
  readonly unknownImage: PictureModule['uncachedImage']
  /** Keeps the bytes of an image; call it only after `ready`. */
  readonly keepImage: PictureModule['cacheImage']
}

export function createCodec(): Codec {
  let codec: PictureModule | undefined
  let loading: Promise<void> | undefined
  const load = async (): Promise<void> => {
    const [pictures] = await Promise.all([
      import('../pictures/encode.ts'),
      import('../server/local/provide-on-demand.ts'),
    ])
    codec = pictures
  }
  const ready = (isNeeded: boolean): Promise<void> | undefined => {
    if (codec !== undefined) return undefined
    if (isNeeded) loading ??= load()
    return loading
  }
  const encodeImage: Codec['encodeImage'] = (of) => (codec as PictureModule).encodeImage(of)
  const encodeFile: Codec['encodeFile'] = (file) => (codec as PictureModule).encodeFile(file)
  const encodeWithin: Codec['encodeWithin'] = (file, left) =>
    (codec as PictureModule).encodeWithin(file, left)
  const unknownFile: Codec['unknownFile'] = (file) => (codec as PictureModule).uncachedFile(file)
  const keepFile: Codec['keepFile'] = (file, bytes) =>
    (codec as PictureModule).cacheFile(file, bytes)
  const unknownImage: Codec['unknownImage'] = (of) => (codec as PictureModule).uncachedImage(of)
  const keepImage: Codec['keepImage'] = (of, bytes) =>
    (codec as PictureModule).cacheImage(of, bytes)
  return {
    ready,
    encodeImage,
    encodeFile,
    encodeWithin,
    unknownFile,
    keepFile,
    unknownImage,
    keepImage,
  }
}
