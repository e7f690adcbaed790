// A thread that encodes pictures: one large file, and ends; or the images of frames, in the order in which they arrive.

import { parentPort, workerData } from 'node:worker_threads'
import { encodeFile, encodeImage } from '../../../pictures/encode.ts'
import type { FrameImage, MediaFile } from '../../../pictures/picture.ts'

const answer = (bytes: Uint8Array): void => {
  // A thread has no origin, as a window has.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(bytes)
}

const file = workerData as MediaFile | null
if (file === null) parentPort?.on('message', (of: FrameImage) => answer(encodeImage(of)))
else answer(encodeFile(file))
