// Answers of runs that cannot be delivered: further attempts, and who is notified.

import type { Delivery } from 'flowdouble'
import { type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const one = { routes: { hook: { secret: SECRET, prompt: '{text}', deliver: 'telegram' } } }

/** The attempts of the outbox: their texts, and the seconds since the first one. */
const attempts = ({ gateway }: GatewaySubject) =>
  gateway.outbox().map(({ text, timestamp, attempt }, _, all) => {
    return [attempt, (timestamp - (all[0]?.timestamp ?? 0)) / 1000, text]
  })

/** Makes deliveries fail with an error, posts, and waits until nothing more happens. */
async function failing(subject: GatewaySubject, error: string, times: number | null = null) {
  subject.gateway.failDeliveries({ target: 'telegram', error, times })
  await subject.post('hook', { text: 'answer' })
  await subject.idle()
}

const network = [
  'ConnectError: x',
  'ECONNREFUSED 127.0.0.1',
  'Network is unreachable',
  'fetch failed',
  'Broken pipe',
]
for (const error of network) {
  proves(
    'deliveries/retry-network',
    async (subject) => {
      await failing(subject, error)
      expect(attempts(subject)).toEqual([
        [1, 0, 'answer'],
        [2, 2, 'answer'],
        [3, 6, 'answer'],
      ])
    },
    one,
  )
}

proves(
  'deliveries/retry-network',
  async (subject) => {
    await failing(subject, 'econnreset', 1)
    expect(subject.gateway.outbox().map(({ status }) => status)).toEqual(['failed', 'delivered'])
  },
  one,
)

for (const error of ['timed out', 'ReadTimeout', 'Request timed out after 30 s']) {
  proves(
    'deliveries/retry-network',
    async (subject) => {
      await failing(subject, error)
      expect(attempts(subject)).toEqual([[1, 0, 'answer']])
    },
    one,
  )
}

proves(
  'deliveries/retry-plain',
  async (subject) => {
    await failing(subject, 'Bad markdown')
    const plain = '(Response formatting failed, plain text:)\n\n'
    expect(attempts(subject)).toEqual([
      [1, 0, 'answer'],
      [2, 0, `${plain}answer`],
    ])
    const long = '😀'.repeat(3501)
    await subject.post('hook', { text: long })
    await subject.idle()
    expect(subject.texts().slice(2)).toEqual([long, plain + '😀'.repeat(3500)])
  },
  one,
)

const sent: Delivery[] = []
proves(
  'deliveries/retry-plain',
  async ({ post, gateway, send }) => {
    sent.length = 0
    await post('hook', { text: 'answer' })
    await gateway.until((effect) => effect.kind === 'run' && effect.run.status === 'completed')
    await send('GET', '/health')
    expect(sent.map(({ attempt, text }) => [attempt, text.slice(-6)])).toEqual([
      [1, 'answer'],
      [2, 'answer'],
    ])
  },
  {
    ...one,
    deliveries: (delivery) => {
      sent.push(delivery)
      return Promise.reject(new Error('format'))
    },
  },
)

proves(
  'deliveries/failure-stays-inside',
  async (subject) => {
    subject.gateway.failDeliveries({ target: 'telegram', error: 'format of secrets', times: null })
    const reply = await subject.post('hook', { text: 'x' }, { 'X-Request-ID': 'd-1' })
    expect(reply.status).toBe(202)
    await subject.idle()
    // Sending the same id again returns that it is known, and has no other effect.
    expect(
      (await subject.post('hook', { text: 'x' }, { 'X-Request-ID': 'd-1' })).json().status,
    ).toBe('duplicate')
    const failed = subject.logs.filter(({ level }) => level === 'error').map(({ text }) => text)
    expect(failed[0]).toBe('delivery hook d-1 to telegram:home failed: format of secrets')
  },
  one,
)
