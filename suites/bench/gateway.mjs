// Signed posts to the gateway: the cost of one, compared with a bare server that only checks the signature.

import { startChild } from './child.mjs'
import { compare, costOf, us } from './measure.mjs'

const secret = 'secret-of-the-benchmark'
const POST = { secret, status: 202 }

export async function* gatewayPosts({ rounds, posts, barePosts }) {
  const load = await startChild('load.mjs')
  const bare = await startChild('bare-gateway.mjs', { secret })
  const cost = (server, count) => () => costOf(server, load, { ...POST, count })
  const latency = async (server) =>
    (await load.ask('load', { port: server.ready.port, count: posts, ...POST })).p99Ms
  await cost(bare, barePosts)()
  const bareP99 = await latency(bare)
  for (const { name, isStored, what, atLeast } of rows) {
    const gateway = await startChild('gateway-http.mjs', { secret, isStored })
    await cost(gateway, 2 * posts)()
    const { ours, theirs, ratio } = await compare(
      rounds,
      cost(gateway, posts),
      cost(bare, barePosts),
    )
    const ourP99 = await latency(gateway)
    if ((await gateway.ask('accepted')) === 0) throw new Error('The gateway took no post.')
    await gateway.stop()
    const detail = `${us(ours)}, bare ${us(theirs)}`
    yield { name, what, value: 1 / ratio, unit: 'x bare', atLeast, detail }
    yield {
      name: `${name}-p99`,
      what: 'time to its answer under that load, 99 % are faster',
      value: ourP99,
      unit: 'ms',
      detail: `bare ${bareP99.toFixed(2)} ms`,
    }
  }
  await Promise.all([bare.stop(), load.stop()])
}

const rows = [
  {
    name: 'gateway',
    isStored: false,
    what: 'POST /webhooks/{name}, signed, 1 KB, a run of the scripted agent for each',
    atLeast: 0.3,
  },
  {
    name: 'gateway-stored',
    isStored: true,
    what: 'the same, stored in SQLite',
    atLeast: 0.2,
  },
]
