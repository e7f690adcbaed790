// Signed posts to the gateway: the cost of one, compared with a bare server that only checks the signature.

import { startChild } from './child.mjs'
import { compare, costOf, us } from './measure.mjs'

const secret = 'secret-of-the-benchmark'
const POST = { secret, status: 202 }

export async function* gatewayPosts({ rounds, posts, barePosts }) {
  const load = await startChild('load.mjs')
  const gateway = await startChild('gateway-http.mjs', { secret })
  const bare = await startChild('bare-gateway.mjs', { secret })
  const cost = (server, count) => () => costOf(server, load, { ...POST, count })
  await cost(gateway, 2 * posts)()
  await cost(bare, barePosts)()
  const { ours, theirs, ratio } = await compare(rounds, cost(gateway, posts), cost(bare, barePosts))
  const latency = async (server) =>
    (await load.ask('load', { port: server.ready.port, count: posts, ...POST })).p99Ms
  const [ourP99, theirP99] = [await latency(gateway), await latency(bare)]
  if ((await gateway.ask('accepted')) === 0) throw new Error('The gateway took no post.')
  await Promise.all([gateway.stop(), bare.stop(), load.stop()])
  yield {
    name: 'gateway',
    what: 'POST /webhooks/{name}, signed, 1 KB, a run of the scripted agent for each',
    value: 1 / ratio,
    unit: 'x bare',
    atLeast: 0.3,
    detail: `${us(ours)}, bare ${us(theirs)}`,
  }
  yield {
    name: 'gateway-p99',
    what: 'time to its answer under that load, 99 % are faster',
    value: ourP99,
    unit: 'ms',
    detail: `bare ${theirP99.toFixed(2)} ms`,
  }
}
