// Answers of runs that cannot be delivered: further attempts, and who is notified.

import type { Delivery } from 'flowdouble'
import { ownGateway, SECRET, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { attempts, type Failure, first, notice } from '../../judge/attempts.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { makeRuns, postTo } from '../../judge/posts.ts'

/** The pauses between attempts, in milliseconds. */
const pausesOf = (found: readonly { readonly ms: number }[]): readonly number[] =>
  found.slice(1).map(({ ms }, at) => ms - (found[at]?.ms ?? 0))

const networkErrors = [
  'ConnectError: x',
  'ECONNREFUSED 127.0.0.1',
  'Network is unreachable',
  'fetch failed',
  'Broken pipe',
]
const timeOuts = ['timed out', 'ReadTimeout', 'Request timed out after 30 s']

proves(
  'deliveries/retry-network',
  async (subject) => {
    const failures: readonly Failure[] = [
      ...networkErrors.map((error) => ({ error })),
      ...[408, 429, 500, 502, 503, 504, 599].map((status) => ({ status })),
      // A status decides, whatever the text says.
      { status: 503, error: 'timed out' },
    ]
    for (const failure of failures) {
      const found = await attempts(subject, failure)
      const numbers = found.map(({ attempt }) => attempt)
      expect({ failure, numbers }).toEqual({
        failure,
        numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      })
      expect(new Set(found.map(({ text }) => text))).toEqual(new Set(['answer']))
      const minutes = (found.at(-1)?.ms ?? 0) / 60_000
      expect([minutes > 13.8, minutes < 18.6]).toEqual([true, true])
    }
    const found = await attempts(subject, { error: 'econnreset', times: 1 })
    expect(found.map(({ status }) => status)).toEqual(['failed', 'delivered'])
  },
  ownGateway,
)

/** The longest pauses before the second and later attempts, in milliseconds. */
const longest = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1000)

proves(
  'deliveries/retry-pauses',
  async (subject) => {
    const pauses = pausesOf(await attempts(subject, { status: 500 }))
    const parts = pauses.map((ms, at) => ms / (longest[at] ?? 0))
    for (const part of parts) expect([part >= 0.75, part <= 1]).toEqual([true, true])
    expect(new Set(parts).size).toBe(10)
    const elsewhere = async (seed: string) => {
      const other = await startGatewaySubject({ seed })
      const found = pausesOf(await attempts(other, { status: 500 }))
      await other.close()
      return found
    }
    expect(await elsewhere('0')).toEqual(await elsewhere('0'))
    expect(await elsewhere('1')).not.toEqual(await elsewhere('0'))
  },
  ownGateway,
)

proves(
  'deliveries/retry-after',
  async (subject) => {
    // A long pause of the schedule stays.
    const asked = pausesOf(await attempts(subject, { status: 429, retryAfterMs: 60_000 }))
    for (const [at, ms] of asked.entries()) {
      const most = Math.max(60_000, (longest[at] ?? 0) * 0.75) + (longest[at] ?? 0) / 4
      expect([ms >= 60_000, ms <= Math.ceil(most)]).toEqual([true, true])
    }
    const day = { status: 503, retryAfterMs: 86_400_000, times: 3 }
    expect(pausesOf(await attempts(subject, day))).toEqual([3_600_000, 3_600_000, 3_600_000])
    const none = pausesOf(await attempts(subject, { status: 429, retryAfterMs: 0, times: 1 }))
    expect(none[0]).toBeGreaterThanOrEqual(1500)
    // A rate limit by another status.
    const forbidden = { status: 403, retryAfterMs: 30_000, times: 1 }
    expect(pausesOf(await attempts(subject, forbidden))[0]).toBeGreaterThanOrEqual(30_000)
  },
  ownGateway,
)

proves(
  'deliveries/retry-final',
  async (subject) => {
    for (const status of [301, 302, 304, 307, 401, 403, 404, 410, 413, 422])
      expect({ status, found: await attempts(subject, { status }) }).toEqual({
        status,
        found: [first],
      })
    for (const error of timeOuts)
      expect({ error, found: await attempts(subject, { error }) }).toEqual({
        error,
        found: [first],
      })
  },
  ownGateway,
)

const plain = '(Response formatting failed, plain text:)\n\n'

proves(
  'deliveries/retry-plain',
  async (subject) => {
    const again = { ...first, attempt: 2, text: `${plain}answer` }
    const once = { times: 2 }
    expect(await attempts(subject, { error: 'Bad markdown', ...once })).toEqual([
      first,
      again,
      notice('Bad markdown'),
    ])
    expect(await attempts(subject, { status: 400, ...once })).toEqual([
      first,
      again,
      notice('refused'),
    ])
    // What fails otherwise then is tried again.
    subject.gateway.failDeliveries({ target: 'telegram', error: 'x', status: 400, times: 1 })
    subject.gateway.failDeliveries({ target: '*', error: 'x', status: 503, times: 1 })
    const to = await makeRuns(subject, '{text}')
    await postTo(subject, to, { text: 'answer' })
    const entries = await subject.sender.control.deliveries(to, 1)
    const texts = entries.map(({ text, attempt, status }) => [text, attempt, status])
    expect(texts).toEqual([
      ['answer', 1, 'failed'],
      [again.text, 2, 'failed'],
      [again.text, 3, 'delivered'],
    ])
    const long = '😀'.repeat(3501)
    const found = await attempts(subject, { error: 'Bad markdown', text: long, times: 1 })
    expect(found.map(({ text }) => text)).toEqual([long, plain + '😀'.repeat(3500)])
  },
  ownGateway,
)

// What the reference gateway does, which goes by the text of the error alone.
provesQuirk(
  'webhooks.short-retries',
  async (subject) => {
    for (const error of networkErrors)
      expect({ error, found: await attempts(subject, { error, status: 429 }) }).toEqual({
        error,
        found: [first, { ...first, attempt: 2, ms: 2000 }, { ...first, attempt: 3, ms: 6000 }],
      })
    for (const error of timeOuts)
      expect({ error, found: await attempts(subject, { error }) }).toEqual({
        error,
        found: [first],
      })
    const again = { ...first, attempt: 2, text: `${plain}answer` }
    for (const status of [302, 404, 429, 503])
      expect(await attempts(subject, { status, error: `answered ${status}` })).toEqual([
        first,
        again,
      ])
    const found = await attempts(subject, { error: 'econnreset', times: 1 })
    expect(found.map(({ status }) => status)).toEqual(['failed', 'delivered'])
  },
  ownGateway,
)

const one = { routes: { hook: { secret: SECRET, prompt: '{text}', deliver: 'telegram' } } }
const sent: Delivery[] = []

/** A deliver URL whose calls fail with this error. */
let failure: Error = new Error('timed out')
const keyed = Object.assign(
  (delivery: Delivery) => {
    sent.push(delivery)
    return sent.length < 3 ? Promise.reject(failure) : Promise.resolve()
  },
  { isKeyed: true },
)

proves(
  'deliveries/retry-keyed',
  async ({ post, idle }) => {
    const refused = Object.assign(new Error('answered 400'), { status: 400 })
    const cases = [
      [new Error('timed out'), 3],
      [new Error('network error'), 3],
      [refused, 1],
      [new Error('format'), 1],
    ] as const
    for (const [error, count] of cases) {
      sent.length = 0
      failure = error
      await post('hook', { text: error.message })
      await idle()
      const found = sent.map(({ key, text }) => ({ key, text }))
      const expected = { key: sent[0]?.key, text: error.message }
      expect(found).toEqual(Array.from({ length: count }, () => expected))
    }
  },
  { ...one, deliveries: keyed },
)

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
      [1, ' more.'],
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
    const failed = subject.logs.filter(({ level }) => level !== 'info')
    expect(failed.slice(0, 2)).toMatchObject([
      { level: 'warning', text: 'delivery hook d-1 to telegram:home failed: format of secrets' },
      {
        level: 'error',
        text: expect.stringMatching(
          /^delivery hook d-1 to telegram:home is dead: format of secrets/,
        ),
      },
    ])
  },
  one,
)
