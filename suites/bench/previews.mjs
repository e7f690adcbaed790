// Many worlds at one address, each with a run every second and a socket that receives its previews, as jobs of continuous
// integration share a server: how long a submit waits while pictures are encoded.

import { readFileSync } from 'node:fs'
import { startChild } from './child.mjs'
import { ms } from './measure.mjs'

const WORLDS = 50
/** What a server that still answers well takes, in milliseconds. */
const GOAL_MS = 50

/** The processor time of the loop alone, which answers the requests, in seconds. */
const loopSeconds = (pid) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9

export async function* previews({ previewSeconds: seconds }) {
  const emulator = await startChild('emulator-previews.mjs', { worlds: WORLDS })
  const { port, worlds } = emulator.ready
  const listeners = await startChild('listeners.mjs')
  for (const below of worlds)
    await listeners.ask('open', { port, below, count: 1, clientId: 'bench' })
  const load = await startChild('paced-load.mjs')
  // The first runs load what others find loaded.
  await load.ask('submit', { port, worlds, seconds: 2 })
  await emulator.ask('idle')
  const before = { all: await emulator.cpuSeconds(), loop: loopSeconds(emulator.pid) }
  const { p50Ms, p99Ms } = await load.ask('submit', { port, worlds, seconds })
  await emulator.ask('idle')
  const runs = seconds * WORLDS
  const all = ((await emulator.cpuSeconds()) - before.all) / runs
  const loop = (loopSeconds(emulator.pid) - before.loop) / runs
  const { open } = await listeners.ask('received')
  for (const child of [load, listeners, emulator]) await child.stop()
  if (open !== WORLDS) throw new Error(`Only ${open} of ${WORLDS} sockets are still connected.`)
  yield {
    name: 'previews',
    what: `99th percentile of a submit, ${WORLDS} worlds with 20 JPEG previews a second each`,
    value: p99Ms,
    unit: 'ms',
    atMost: GOAL_MS,
    detail: `median ${p50Ms.toFixed(1)} ms; a run takes ${ms(all * 1000)} of CPU, ${ms(loop * 1000)} of that in the loop`,
  }
}
