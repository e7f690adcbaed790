// Child process: an emulator on the instant clock.

import { startEmulator } from 'flowdouble'
import { answer, childOptions } from './child.mjs'

const options = { clock: 'instant', preview: 'none', ...childOptions() }
let emulator = await startEmulator(options)

answer(
  { port: emulator.port, signedUrl: emulator.signedUrl },
  {
    /** Replaces the world by a new one in the same, warm process. */
    renew: async () => {
      await emulator.close()
      emulator = await startEmulator(options)
      return { port: emulator.port }
    },
  },
)
