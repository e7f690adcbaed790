// A replay of a recording in this process, for as long as a test uses it.

import { type Replay, startReplay } from 'flowdouble'
import { type Recording, writeHar } from '../../dist/emulator/internal.js'

export async function withReplay(
  recording: Recording,
  use: (replay: Replay) => Promise<void>,
): Promise<void> {
  const content = JSON.parse(writeHar(recording)) as object
  const replay = await startReplay({ recording: content, clock: 'manual' })
  try {
    await use(replay)
  } finally {
    await replay.close()
  }
}
