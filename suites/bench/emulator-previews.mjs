// Child process: an emulator on the real clock, with several worlds at its address.

import { setTimeout as sleep } from 'node:timers/promises'
import { startEmulator } from 'flowdouble'
import { answer, childOptions } from './child.mjs'

const emulator = await startEmulator({ clock: 'real', preview: 'jpeg' })
const { worlds: count } = childOptions()
const worlds = []
while (worlds.length < count) worlds.push(await emulator.world())

const isBusy = (world) => world.runs().some(({ state }) => state !== 'success')

answer(
  { port: emulator.port, worlds: worlds.map(({ name }) => `/w/${name}`) },
  {
    /** Waits until all runs are done. */
    idle: async () => {
      while (worlds.some(isBusy)) await sleep(100)
    },
  },
)
