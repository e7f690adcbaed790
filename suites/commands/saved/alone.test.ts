// One process uses a state folder. Another one waits for it, and is refused: files of cases that mostly wait run together.

import { startEmulator } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { proves, sideBySide } from '../../judge/proves.ts'
import { newFiles } from '../../support/files.ts'

proves(
  'shared/saved-alone',
  async ({ deployment }) => {
    const state = newFiles().path('state')
    const first = await startEmulator({ deployment, state })
    try {
      await expect(startEmulator({ deployment, state })).rejects.toThrow(
        `Process ${process.pid} uses the state in ${state}`,
      )
    } finally {
      await first.close()
    }
    await (await startEmulator({ deployment, state })).close()
  },
  sideBySide,
)
