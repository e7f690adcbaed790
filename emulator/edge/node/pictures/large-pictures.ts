// Encodes large pictures in a thread, so that one that takes seconds keeps no other request waiting.

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { limits } from '../../../../spec/limits.ts'
import type { Body } from '../../../machine.ts'
import type { Picture, PictureFile } from '../../../pictures/picture.ts'
import type { Codec } from '../../codec.ts'
import { startThread } from './picture-thread.ts'

export type LargePictures = {
  /** Waits until the codec has the bytes of a large picture. Undefined for any other body: there is nothing to wait for. */
  readonly ready: (body: Body) => Promise<void> | undefined
  /** Stops encoding, and resolves when the thread has ended. */
  readonly close: () => Promise<void>
}

export function createLargePictures(codec: Codec): LargePictures {
  let worker: Worker | undefined
  let isClosed = false
  /** Resolves when the last picture is done. One at a time, as each takes much memory. */
  let last: Promise<void> = Promise.resolve()

  const make = async (file: PictureFile): Promise<void> => {
    if (isClosed || codec.isKept(file)) return
    // The codec adds the texts of another file itself.
    worker = startThread(Object.assign({}, file, { textChunks: undefined }))
    const [bytes] = (await once(worker, 'message')) as [Uint8Array]
    codec.keepFile(file, bytes)
  }
  const ready: LargePictures['ready'] = (body) => {
    if (typeof body === 'string' || body instanceof Uint8Array) return undefined
    if (codec.isKept(body)) return undefined
    const isSmall = pixelsOf(body) <= limits.pixels.value
    // The number of pixels does not say how long a filter takes: that shows when it is tried.
    if (isSmall && codec.encodeWithin(body, MOST_AT_ONCE) !== undefined) return undefined
    // If no thread can start, the codec makes the bytes later.
    last = last.then(() => make(body)).catch(() => undefined)
    return last
  }
  const close = async (): Promise<void> => {
    isClosed = true
    await worker?.terminate()
  }
  return { ready, close }
}

/** So many numbers are computed before other requests are handled. */
const MOST_AT_ONCE = 2 ** 23

/** How much work a file is, in pixels: of all that it is made of. */
function pixelsOf({ picture, animation }: PictureFile): number {
  let pixels = 0
  let next: Picture | undefined = picture
  while (next !== undefined) {
    const own = next.width * next.height
    pixels += next.kind === 'computed' ? Math.max(own, next.effort / 4) : own
    next = 'of' in next && next.kind !== 'computed' ? next.of : undefined
  }
  return pixels * (1 + (animation?.rest.length ?? 0))
}
