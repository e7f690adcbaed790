// What many finished runs leave behind: the memory that they take, and what they make of the next submit.

import { startChild } from './child.mjs'
import { compare, costOf, mib, us } from './measure.mjs'

const POST = { changed: 'sampler' }

/** Starts a server, submits so many runs, and takes its memory. */
async function loaded(file, load, count) {
  const server = await startChild(file)
  await load.ask('load', { port: server.ready.port, count, ...POST })
  return { server, ...(await server.ask('memory')) }
}

export async function behind({ rounds, posts, runsBehind }) {
  const load = await startChild('load.mjs')
  const bare = await loaded('bare-http.mjs', load, runsBehind)
  await bare.server.stop()
  const full = await loaded('emulator-http.mjs', load, runsBehind)
  const fresh = await startChild('emulator-http.mjs')
  await costOf(fresh, load, { ...POST, count: 2 * posts })

  /** A new world each time: after some thousand runs it is not empty any more. */
  const freshCost = async () => {
    const { port } = await fresh.ask('renew')
    return costOf(fresh, load, { ...POST, port, count: posts })
  }
  const fullCost = () => costOf(full.server, load, { ...POST, count: posts })
  const { ours, theirs, ratio } = await compare(rounds, fullCost, freshCost)
  await Promise.all([full.server.stop(), fresh.stop(), load.stop()])

  const runs = runsBehind.toLocaleString('en')
  return [
    {
      name: 'behind-post',
      what: `POST /prompt with ${runs} runs behind it`,
      value: 1 / ratio,
      unit: 'x empty',
      atLeast: 0.9,
      detail: `${us(ours)}, empty ${us(theirs)}`,
    },
    {
      name: 'behind-heap',
      what: `heap after ${runs} runs and a collection`,
      value: full.heap / 2 ** 20,
      unit: 'MiB',
      atMost: 60,
      detail: `bare ${mib(bare.heap)}`,
    },
    {
      name: 'behind-rss',
      what: `memory of the process after ${runs} runs`,
      value: full.rss / bare.rss,
      unit: 'x bare',
      atMost: 1.5,
      detail: `${mib(full.rss)}, bare ${mib(bare.rss)}`,
    },
  ]
}
