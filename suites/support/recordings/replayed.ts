// A replay of a recording in this process, for as long as a test uses it.

import { type Replay, type ReplayOptions, startReplay } from 'flowdouble'
import { type Recording, writeHar } from '../../../dist/emulator/internal.js'

/** A recording as a program passes it. */
export const contentOf = (recording: Recording): object => JSON.parse(writeHar(recording)) as object

export async function withReplay(
  recording: Recording,
  use: (replay: Replay) => Promise<void>,
  options: Omit<ReplayOptions, 'recording'> = {},
): Promise<void> {
  const replay = await startReplay({ recording: contentOf(recording), clock: 'manual', ...options })
  try {
    await use(replay)
  } finally {
    await replay.close()
  }
}
