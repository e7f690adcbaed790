// Encodes large pictures in a thread, so that one that takes seconds keeps no other request waiting.

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { limits } from '../../../../spec/limits.ts'
import type { MediaFile } from '../../../pictures/picture.ts'
import { pixelsOf } from '../../../pictures/work.ts'
import type { Codec } from '../../codec.ts'
import type { Preparation } from '../../host.ts'
import { startThread } from './picture-thread.ts'

export type LargePictures = {
  /** Waits until the codec has the bytes of a large picture. Undefined for any other: there is nothing to wait for. */
  readonly ready: (file: MediaFile) => Preparation | undefined
  /** Stops encoding, and resolves when the thread has ended. */
  readonly close: () => Promise<void>
}

/** A picture that clients wait for. */
type Job = {
  readonly file: MediaFile
  /** How many clients wait for it: without any, it is not made. */
  clients: number
  /** The thread that makes it, and its end. */
  worker?: Worker
  ended?: Promise<unknown>
  done: Promise<void>
}

export function createLargePictures({ pictures }: Codec): LargePictures {
  /** What clients wait for, by what identifies it. */
  const jobs = new Map<string, Job>()
  /** Resolves when the last thread has ended. One at a time, as each takes much memory. */
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  const make = async (job: Job): Promise<void> => {
    if (isClosed || job.clients === 0) return
    // The codec adds the texts of another file itself.
    const worker = startThread(Object.assign({}, job.file, { textChunks: undefined }))
    job.worker = worker
    job.ended = once(worker, 'exit')
    const made = await Promise.race([once(worker, 'message'), job.ended.then(() => undefined)])
    if (made !== undefined) pictures().cacheFile(job.file, made[0] as Uint8Array)
  }
  const begin = (key: string, file: MediaFile): Job => {
    const job: Job = { file, clients: 0, done: Promise.resolve() }
    jobs.set(key, job)
    // If no thread can start, the codec makes the bytes later.
    job.done = last
      .then(() => make(job))
      .catch(() => undefined)
      .then(() => forget(key, job))
    last = job.done.then(() => job.ended).catch(() => undefined)
    return job
  }
  const forget = (key: string, job: Job): void => {
    if (jobs.get(key) === job) jobs.delete(key)
  }
  /** Ends the work for a picture that nobody waits for; whoever asks for it next begins anew. */
  const end = async (key: string, job: Job): Promise<void> => {
    job.clients = 0
    forget(key, job)
    await job.worker?.terminate()
  }
  const ready: LargePictures['ready'] = (file) => {
    const key = pictures().uncachedFile(file)
    if (key === undefined) return undefined
    const isSmall = pixelsOf(file) <= limits.pixels.value
    // The number of pixels does not say how long a filter takes: that shows when it is tried.
    if (isSmall && pictures().encodeWithin(file, MOST_AT_ONCE) !== undefined) return undefined
    const job = jobs.get(key) ?? begin(key, file)
    job.clients++
    const leave = (): void => {
      if (job.clients > 0 && --job.clients === 0) void end(key, job)
    }
    return { done: job.done, leave }
  }
  const close = async (): Promise<void> => {
    isClosed = true
    await Promise.all([...jobs].map(([key, job]) => end(key, job)))
    await last
  }
  return { ready, close }
}

/** So many numbers are computed before other requests are handled. */
const MOST_AT_ONCE = 2 ** 23
