// The Idempotency-Key by which agents and targets recognise what they have had before.

import { createHmac } from 'node:crypto'
import { urlAgent, urlDeliveries } from '../../../dist/emulator/internal.js'
import { startReceiving } from '../../support/command-line.ts'
import { direct, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** Where the agent and the target of this case are. */
let agentUrl = 'http://127.0.0.1:9'
let deliverUrl = agentUrl

const keyAt = (route: string, id: string, acceptedMs: number): string =>
  createHmac('sha256', 'flowdouble run')
    .update(`${route}\n${id}\n${acceptedMs}`)
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
    const run = keyAt('hook', 'd-1', 1_767_225_600_000)
    const note = keyAt('note', 'd-1', 1_767_225_600_500)
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
