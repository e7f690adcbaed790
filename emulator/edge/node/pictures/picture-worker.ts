// A thread that encodes one picture file, and ends.

import { parentPort, workerData } from 'node:worker_threads'
import { encodeFile } from '../../../pictures/encode.ts'
import type { PictureFile } from '../../../pictures/picture.ts'

// A thread has no origin, as a window has.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(encodeFile(workerData as PictureFile))
