// Requests over HTTP: what one costs the server, compared with a bare server that does the least possible.

import { startChild } from './child.mjs'
import { compare, costOf, us } from './measure.mjs'

export const GET = { path: '/system_stats' }
export const POST = { changed: 'sampler' }

const times = (ours, theirs) => `${us(ours)}, bare ${us(theirs)}`

export async function* getRequests({ rounds, gets }) {
  const load = await startChild('load.mjs')
  const emulator = await startChild('emulator-http.mjs')
  const body = await (
    await fetch(`http://127.0.0.1:${emulator.ready.port}${GET.path}`)
  ).arrayBuffer()
  const bare = await startChild('bare-http.mjs', { bytes: body.byteLength })
  const cost = (server) => () => costOf(server, load, { ...GET, count: gets })
  await cost(emulator)()
  await cost(bare)()
  const { ours, theirs, ratio } = await compare(rounds, cost(emulator), cost(bare))
  await Promise.all([emulator.stop(), bare.stop(), load.stop()])
  yield {
    name: 'get',
    what: 'GET /system_stats',
    value: 1 / ratio,
    unit: 'x bare',
    atLeast: 0.85,
    detail: times(ours, theirs),
  }
}

export async function* postRequests({ rounds, posts, connectedPosts, barePosts }) {
  const load = await startChild('load.mjs')
  const listeners = await startChild('listeners.mjs')
  const emulator = await startChild('emulator-http.mjs')
  const bare = await startChild('bare-http.mjs')
  const cost = (server, count) => () => costOf(server, load, { ...POST, count })
  const bareCost = cost(bare, barePosts)
  await cost(emulator, 2 * posts)()
  await bareCost()
  const unconnected = await compare(rounds, cost(emulator, posts), bareCost)
  yield {
    name: 'post',
    what: 'POST /prompt, 10 nodes, new seed, run at once',
    value: 1 / unconnected.ratio,
    unit: 'x bare',
    atLeast: 0.3,
    detail: times(unconnected.ours, unconnected.theirs),
  }
  await listeners.ask('open', { port: emulator.ready.port, count: 1, clientId: 'bench' })
  await cost(emulator, connectedPosts)()
  const connected = await compare(rounds, cost(emulator, connectedPosts), bareCost)
  const { open, bytes } = await listeners.ask('received')
  if (open !== 1 || bytes === 0)
    throw new Error('The listening socket was cut off, or received nothing.')
  await Promise.all([emulator.stop(), bare.stop(), load.stop(), listeners.stop()])
  yield {
    name: 'post-heard',
    what: 'the same with a socket that receives its messages',
    value: 1 / connected.ratio,
    unit: 'x bare',
    atLeast: 0.18,
    detail: times(connected.ours, connected.theirs),
  }
}
