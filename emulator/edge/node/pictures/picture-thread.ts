// Starts threads that encode pictures.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { archivedProgram } from '../../../config/package-files.ts'
import type { MediaFile } from '../../../pictures/picture.ts'

/** Starts a thread for one large file, which then ends; or, for null, for images of frames, one after the other. */
export function startThread(file: MediaFile | null): Worker {
  // Loaded on demand, so that the server starts fast.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const program = archivedProgram('picture-worker')
  return program === undefined
    ? new Worker(threadFile(), { workerData: file })
    : new Worker(program, { eval: true, workerData: file })
}

/** The file of the thread, beside this one: bundled or not. */
const threadFile = (): string =>
  ['picture-worker.cjs', 'picture-worker.js']
    .map((name) => join(import.meta.dirname, name))
    .find((file) => existsSync(file)) as string
