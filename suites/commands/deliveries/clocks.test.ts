// Agents and senders that work in real time behind a gateway whose clock does not.

import { type Agent, type Delivery, replayGateway } from 'flowdouble'
import { direct, failureNotice, SECRET, signed } from '../../judge/gateway-subject.ts'
import { createArrivals } from '../../support/platforms.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const routes = { hook: { secret: SECRET, prompt: '{text}', deliver: 'slack' }, direct: direct('x') }

/** Resolves after the pending work of the event loop, which is when outside work ends at the earliest. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const agent: Agent = async ({ prompt }) => {
  await turn()
  return `did ${prompt}`
}

const delivered = createArrivals<Delivery>()
/** The first attempt to deliver an answer fails with a network error, and is retried. */
const deliveries = async (delivery: Delivery): Promise<void> => {
  await turn()
  delivered.take(delivery)
  if (delivery.target === 'slack' && delivery.attempt === 1) throw new Error('ECONNRESET')
}

proves(
  'deliveries/work-awaited',
  async ({ gateway, post, idle }) => {
    for (const text of ['a', 'b']) await post('hook', { text })
    await idle()
    expect(gateway.runs().map(({ answer }) => answer)).toEqual(['did a', 'did b'])
    expect(gateway.outbox().map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'ECONNRESET'],
      ['failed', 'ECONNRESET'],
      ['delivered', null],
      ['delivered', null],
    ])
    await delivered.next(4)
  },
  { routes, agent, deliveries },
)

proves(
  'deliveries/work-awaited',
  async ({ gateway, post }) => {
    expect((await post('hook', { text: 'a' })).status).toBe(202)
    const tried = await delivered.next(2)
    expect(tried.map(({ text, attempt }) => [text, attempt])).toEqual([
      ['did a', 1],
      ['did a', 2],
    ])
    expect((await post('direct', {})).status).toBe(200)
    await delivered.next(1)
    expect(replayGateway((await gateway.journal()).join('\n')).differs).toBeNull()
  },
  { routes, agent, deliveries, clock: 'instant' },
)

// In real time an instant gateway stops waiting.
let ended: string[] = []
proves(
  ['deliveries/work-awaited', 'deliveries/agent-time-out'],
  async ({ gateway, post }) => {
    ended = []
    await post('hook', { text: 'a' })
    const [delivery] = await delivered.next(1)
    expect(delivery?.text).toBe(failureNotice('the agent timed out'))
    expect(ended).toEqual(['a'])
    expect(gateway.runs().map(({ status }) => status)).toEqual(['failed'])
  },
  {
    routes,
    deliveries,
    clock: 'instant',
    agentTimeOutMs: 1,
    agent: ({ prompt }, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended.push(prompt)
          reject(new Error('ended'))
        })
      }),
  },
)

let asked: string[] = []
let stop: () => Promise<void> = () => Promise.resolve()
proves(
  'deliveries/agent-ended',
  async ({ gateway, send }) => {
    asked = []
    stop = () => gateway.close()
    // The gateway stops at the moment in which it calls the agent, so that nobody answers.
    await send('POST', '/webhooks/hook', '{}', signed('{}')).catch(() => {})
    await turn()
    expect(gateway.runs()).toHaveLength(1)
    expect(asked).toEqual([])
  },
  {
    routes,
    agent: async ({ prompt }) => {
      asked.push(prompt)
      return ''
    },
    onEntry: ({ effects }) => {
      if (effects.some(({ kind }) => kind === 'ask')) void stop()
    },
  },
)
