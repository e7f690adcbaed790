// Thousands of worlds at one address, each with one run, in a process whose heap is limited.

import { startChild } from './child.mjs'

/** The limit of the heap, in MiB: without one, Node collects garbage only when much of it is there. */
const HEAP_MIB = 225
/** The goals for 10,000 worlds. */
const GOAL_SECONDS = 10
const GOAL_MIB = 300

export async function* worlds({ worlds: count }) {
  const emulator = await startChild('emulator-worlds.mjs', {}, [`--max-old-space-size=${HEAP_MIB}`])
  const { seconds, wallSeconds, finished } = await emulator.ask('worlds', { count })
  const { rss, heap } = await emulator.ask('memory')
  await emulator.stop()
  if (finished !== count) throw new Error(`${finished} of ${count} runs succeeded`)
  const what = `${count.toLocaleString('en')} worlds with one run each, over HTTP`
  yield {
    name: 'worlds',
    what,
    value: seconds,
    unit: 's CPU',
    atMost: (GOAL_SECONDS * count) / 10_000,
    detail: `${wallSeconds.toFixed(1)} s on the wall, with their client`,
  }
  yield {
    name: 'worlds-rss',
    what: `memory of ${what}`,
    value: rss / 2 ** 20,
    unit: 'MiB',
    atMost: GOAL_MIB,
    detail: `heap ${(heap / 2 ** 20).toFixed(0)} MiB after GC, limited to ${HEAP_MIB} for this row`,
  }
}
