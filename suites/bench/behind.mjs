// What many finished runs leave behind: the memory that they occupy, and how much slower the next submit gets.

import { startChild } from './child.mjs'
import { compare, costOf, mib, us } from './measure.mjs'

const POST = { changed: 'sampler' }

/** How many runs warm up the code of a new world. */
const WARM_UP = 2000

/** Submits this many runs to a server, and returns the memory that it uses afterwards. */
async function fill(server, load, { port = server.ready.port, count }) {
  await load.ask('load', { port, count, ...POST })
  return server.ask('memory')
}

export async function* behind({ rounds, fewPosts, runsBehind }) {
  const load = await startChild('load.mjs')
  const bare = await startChild('bare-http.mjs')
  const bareMemory = await fill(bare, load, { count: runsBehind })
  await bare.stop()

  // Both emulators are measured in the second world of their process, so that the first one makes no difference.
  const [full, fresh] = [
    await startChild('emulator-http.mjs'),
    await startChild('emulator-http.mjs'),
  ]
  const { port } = await full.ask('renew')
  const memory = await fill(full, load, { port, count: runsBehind })
  const runs = runsBehind.toLocaleString('en')
  yield {
    name: 'behind-heap',
    what: `heap after ${runs} runs and a collection`,
    value: memory.heap / 2 ** 20,
    unit: 'MiB',
    atMost: 60,
    detail: `bare ${mib(bareMemory.heap)}`,
  }
  yield {
    name: 'behind-rss',
    what: `memory of the process after ${runs} runs`,
    value: memory.rss / bareMemory.rss,
    unit: 'x bare',
    atMost: 1.5,
    detail: `${mib(memory.rss)}, bare ${mib(bareMemory.rss)}`,
  }
  await fill(fresh, load, { count: 2 * fewPosts })

  /** A new world each time: after some thousand runs it is no longer empty. */
  const freshCost = async () => {
    const renewed = await fresh.ask('renew')
    await load.ask('load', { ...renewed, count: WARM_UP, ...POST })
    return costOf(fresh, load, { ...renewed, count: fewPosts, ...POST })
  }
  const fullCost = () => costOf(full, load, { port, count: fewPosts, ...POST })
  const { ours, theirs, ratio } = await compare(rounds, fullCost, freshCost)
  await Promise.all([full.stop(), fresh.stop(), load.stop()])

  yield {
    name: 'behind-post',
    what: `POST /prompt with ${runs} runs behind it`,
    value: 1 / ratio,
    unit: 'x empty',
    atLeast: 0.9,
    detail: `${us(ours)}, empty ${us(theirs)}`,
  }
}
