// Many runs in a row on the manual clock: 20 steps and 10 nodes each, none of them served from the cache.

import { startChild } from './child.mjs'
import { median } from './measure.mjs'

const GOAL_SECONDS = 0.3

const wall = (taken) =>
  `${median(taken.map(({ wallSeconds }) => wallSeconds)).toFixed(2)} s on the wall`

export async function* runs({ runs, repeats }) {
  const emulator = await startChild('emulator-runs.mjs')
  const label = `${runs.toLocaleString('en')} runs x 20 steps x 10 nodes`
  const goal = (GOAL_SECONDS * runs) / 1000

  const alone = []
  for (let repeat = 0; repeat < repeats; repeat++)
    alone.push(await emulator.ask('machine', { runs }))
  const { messages, bytes } = alone[0]
  const size = `${messages} messages, ${(bytes / 1e6).toFixed(0)} MB`

  yield {
    name: 'runs',
    what: `${label}, messages written`,
    value: median(alone.map(({ seconds }) => seconds)),
    unit: 's CPU',
    atMost: goal,
    detail: `${wall(alone)}, ${size}`,
  }

  const connected = []
  for (let repeat = 0; repeat < repeats; repeat++)
    connected.push(await connectedRuns(emulator, runs))
  const cutOff = connected.filter(({ open }) => open === 0).length
  await emulator.stop()
  yield {
    name: 'runs-heard',
    what: `${label}, sent to one socket`,
    value: median(connected.map(({ seconds }) => seconds)),
    unit: 's CPU',
    atMost: goal,
    detail: `${wall(connected)}, ${(connected[0].bytes / 1e6).toFixed(0)} MB received${cutOff > 0 ? `, cut off ${cutOff} of ${repeats} times` : ''}`,
  }
}

async function connectedRuns(emulator, count) {
  const load = await startChild('load.mjs')
  const listeners = await startChild('listeners.mjs')
  const { port } = await emulator.ask('renew')
  await listeners.ask('open', { port, count: 1, clientId: 'bench' })
  await load.ask('load', { port, count, changed: 'all' })
  await listeners.ask('received')
  const took = await emulator.ask('advance')
  const { open, bytes } = await listeners.ask('received')
  await load.stop()
  await listeners.stop()
  return { ...took, open, bytes }
}
