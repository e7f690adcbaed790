// A replay of a recording in this process, until the test is over.

import { type Replay, type ReplayOptions, startReplay } from 'flowdouble'
import { type Recording, writeHar } from '../../../dist/emulator/internal.js'
import { forTest } from '../for-test.ts'

/** A recording as a program passes it. */
export const contentOf = (recording: Recording): object => JSON.parse(writeHar(recording)) as object

export const replayOf = (
  recording: Recording,
  options: Omit<ReplayOptions, 'recording'> = {},
): Promise<Replay> =>
  forTest(startReplay({ recording: contentOf(recording), clock: 'manual', ...options }))
