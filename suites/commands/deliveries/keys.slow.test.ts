// The Idempotency-Key by which agents and targets recognise what they have had before.

import { createHmac } from 'node:crypto'
import { urlAgent, urlDeliveries } from '../../../dist/emulator/internal.js'
import { optionsOf, provesCli, startReceiving } from '../../support/command-line.ts'
import { direct, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** Where the agent and the target of this case are. */
let agentUrl = 'http://127.0.0.1:9'
let deliverUrl = agentUrl

const keyOf = (route: string, id: string, mark: number | string): string =>
  createHmac('sha256', 'flowdouble run')
    .update(`${route}\n${id}\n${mark}`)
    .digest('hex')
    .slice(0, 32)

proves(
  'deliveries/idempotency-key',
  async ({ gateway, post, idle }) => {
    const agent = await startReceiving({ status: 200, body: '{"answer": "done"}' })
    const target = await startReceiving({ status: 200, body: '' })
    agentUrl = agent.url
    deliverUrl = target.url
    await post('hook', {}, { 'X-Request-ID': 'd-1' })
    await idle()
    await gateway.advance(500)
    await post('note', {}, { 'X-Request-ID': 'd-1' })
    const keys = ({ got }: typeof agent) =>
      got.map(({ headers }) => headers['idempotency-key'] as string)
    const run = keyOf('hook', 'd-1', 1_767_225_600_000)
    const note = keyOf('note', 'd-1', 'x')
    expect(keys(agent)).toEqual([run])
    expect(keys(target)).toEqual([run, note])
    expect(gateway.runs().map(({ key }) => key)).toEqual([run])
    expect(gateway.outbox().map(({ key }) => key)).toEqual([run, note])
    expect(target.got.map(({ body }) => JSON.parse(body.toString()).key)).toEqual([run, note])
  },
  {
    agent: (run, signal) => urlAgent(new URL(agentUrl))(run, signal),
    deliveries: (delivery, signal) => urlDeliveries(new URL(deliverUrl))(delivery, signal),
    routes: { hook: { secret: SECRET, prompt: 'x', deliver: 'telegram' }, note: direct('x') },
  },
)

proves(
  'deliveries/direct-key',
  async ({ gateway, post }) => {
    const send = async (text: string, id = 'd-1') => {
      const { status } = await post('note', { text }, { 'X-Request-ID': id })
      await gateway.advance(1000)
      return status
    }
    gateway.failDeliveries({ target: 'telegram', error: 'out of reach', times: 2 })
    const statuses = [await send('a'), await send('a'), await send('a')]
    expect(statuses).toEqual([502, 502, 200])
    gateway.failDeliveries({ target: 'telegram', error: 'out of reach', times: 1 })
    expect([await send('a', 'd-2'), await send('b', 'd-2')]).toEqual([502, 200])
    const keys = gateway.outbox().map(({ key }) => key)
    const key = keyOf('note', 'd-1', 'a')
    expect(keys).toEqual([key, key, key, keyOf('note', 'd-2', 'a'), keyOf('note', 'd-2', 'b')])
  },
  { routes: { note: direct('{text}') } },
)

provesCli(['deliveries/retry-keyed', 'deliveries/parts'], async (cli) => {
  const kindOf = async (...argv: string[]) => {
    const { deliveries } = await optionsOf(cli, { TELEGRAM_BOT_TOKEN: '1:t' }, ...argv)
    return { isKeyed: deliveries?.isKeyed === true, isSplit: deliveries?.isSplit === true }
  }
  expect(await kindOf('--deliver-url', 'http://127.0.0.1:9')).toEqual({
    isKeyed: true,
    isSplit: false,
  })
  expect(await kindOf('--send')).toEqual({ isKeyed: false, isSplit: true })
})
