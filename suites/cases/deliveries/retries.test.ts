// Answers of runs that cannot be delivered: further attempts, and who is notified.

import type { Delivery } from 'flowdouble'
import { type GatewaySubject, ownGateway, SECRET } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { makeRuns, postTo } from '../../judge/posts.ts'

/** Posts once while deliveries fail, and returns the attempts: how many seconds after the first, and their texts. */
async function attempts(
  subject: GatewaySubject,
  { error, text = 'answer', times = null }: { error: string; text?: string; times?: number | null },
) {
  subject.gateway.failDeliveries({ target: 'telegram', error, times })
  const to = await makeRuns(subject, '{text}')
  await postTo(subject, to, { text })
  const entries = await subject.sender.control.deliveries(to, 1)
  return entries.map((entry) => ({
    attempt: entry.attempt,
    seconds: (entry.timestamp - (entries[0]?.timestamp ?? 0)) / 1000,
    status: entry.status,
    text: entry.text,
  }))
}

const first = { attempt: 1, seconds: 0, status: 'failed', text: 'answer' }

proves(
  'deliveries/retry-network',
  async (subject) => {
    const network = ['ConnectError: x', 'ECONNREFUSED 127.0.0.1', 'Network is unreachable']
    for (const error of [...network, 'fetch failed', 'Broken pipe'])
      expect({ error, found: await attempts(subject, { error }) }).toEqual({
        error,
        found: [first, { ...first, attempt: 2, seconds: 2 }, { ...first, attempt: 3, seconds: 6 }],
      })
    for (const error of ['timed out', 'ReadTimeout', 'Request timed out after 30 s'])
      expect({ error, found: await attempts(subject, { error }) }).toEqual({
        error,
        found: [first],
      })
    const found = await attempts(subject, { error: 'econnreset', times: 1 })
    expect(found.map(({ status }) => status)).toEqual(['failed', 'delivered'])
  },
  ownGateway,
)

const plain = '(Response formatting failed, plain text:)\n\n'

proves(
  'deliveries/retry-plain',
  async (subject) => {
    const again = { ...first, attempt: 2, text: `${plain}answer` }
    expect(await attempts(subject, { error: 'Bad markdown' })).toEqual([first, again])
    const long = '😀'.repeat(3501)
    const found = await attempts(subject, { error: 'Bad markdown', text: long })
    expect(found.map(({ text }) => text)).toEqual([long, plain + '😀'.repeat(3500)])
  },
  ownGateway,
)

const one = { routes: { hook: { secret: SECRET, prompt: '{text}', deliver: 'telegram' } } }
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
