// Encodes the pictures of frames in threads, so that those of one world hold up no request to another. All servers of a
// process share the threads, which start when the first picture needs one, and keep no process alive.

import { availableParallelism } from 'node:os'
import type { FrameContent } from '../../../machine.ts'
import type { Codec } from '../../codec.ts'
import type { FrameImage } from '../../../pictures/picture.ts'
import { startThread } from './picture-thread.ts'

/**
 * Encodes the picture of a frame in a thread, and resolves when the codec has its bytes, or never will: then it encodes
 * the picture itself. Undefined if there is nothing to wait for.
 */
export type EncodeElsewhere = (content: FrameContent) => Promise<void> | undefined

/** A processor is left to the loop. */
const MOST_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1))
/** How many pictures wait for a thread at most. Beyond that, the loop encodes further ones, which slows down the runs. */
const MOST_JOBS = 1024
/** So many JPEG previews take less time than a thread to start: few runs, as in a test, need none. */
const MOST_SMALL = 64

type Thread = {
  readonly post: (image: FrameImage) => void
  /** Called with the bytes of what was posted, in order; without, when the thread has died. */
  readonly jobs: ((bytes?: Uint8Array) => void)[]
  hasWorked: boolean
}

const threads = new Set<Thread>()
/** The pictures that are being encoded, by their keys: the frame with metadata and the one without have the same. */
const encodings = new Map<string, Promise<void>>()
let smallCount = 0
/** Whether a thread has died before it encoded anything: then no other one is started. */
let isBroken = false

export const encodesElsewhere =
  ({ pictures }: Codec): EncodeElsewhere =>
  (content) => {
    if (!('image' in content)) return undefined
    const key = pictures().uncachedImage(content)
    if (key === undefined) return undefined
    if (isSmall(content) && ++smallCount <= MOST_SMALL) return undefined
    const known = encodings.get(key)
    if (known !== undefined) return known
    const thread = freeThread()
    if (thread === undefined) return undefined
    const encoding = new Promise<void>((resolve) => {
      thread.jobs.push((bytes) => {
        encodings.delete(key)
        if (bytes !== undefined) pictures().cacheImage(content, bytes)
        resolve()
      })
    })
    encodings.set(key, encoding)
    // The codec adds the padding itself.
    const image = Object.assign({}, content.image, { minBytes: 0 })
    thread.post({ image, format: content.format })
    return encoding
  }

const isSmall = ({ image, format }: FrameImage): boolean =>
  format === 'jpeg' && 'step' in image && image.of.kind === 'painted'

/** The thread with the fewest jobs, a new one if all have some; undefined if each has too many. */
function freeThread(): Thread | undefined {
  const [first] = [...threads].toSorted((one, other) => one.jobs.length - other.jobs.length)
  const isFree = first !== undefined && first.jobs.length === 0
  if (!isFree && threads.size < MOST_THREADS && !isBroken) return newThread()
  return first !== undefined && first.jobs.length < MOST_JOBS ? first : undefined
}

function newThread(): Thread {
  const worker = startThread(null)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- as in the thread.
  const thread: Thread = { post: (image) => worker.postMessage(image), jobs: [], hasWorked: false }
  worker.on('message', (bytes: Uint8Array) => {
    thread.hasWorked = true
    thread.jobs.shift()?.(bytes)
  })
  // The loop meets the cause again when it encodes the picture.
  worker.on('error', () => undefined)
  worker.on('exit', () => {
    threads.delete(thread)
    isBroken ||= !thread.hasWorked
    for (const job of thread.jobs.splice(0)) job()
  })
  // A listener of messages has referred to it.
  worker.unref()
  threads.add(thread)
  return thread
}
