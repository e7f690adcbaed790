// Posts that are too frequent, and posts that repeat: rate limit and delivery ids.

import { type GatewayOptions, replayGateway } from 'flowdouble'
import {
  createGatewayWorld,
  type GatewayStateOptions,
  stepGateway as step,
} from '../../../dist/emulator/internal.js'
import { withCli, optionsOf } from '../../support/command-line.ts'
import {
  direct,
  type GatewaySubject,
  SECRET,
  startGatewaySubject,
} from '../../judge/gateway-subject.ts'
import { createArrivals } from '../../support/platforms.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const id = (text: string) => ({ 'X-Request-ID': text })
const hook = { secret: SECRET }

/** Posts this often, and returns the statuses. */
async function statuses(post: GatewaySubject['post'], name: string, times: number) {
  const found: number[] = []
  for (let count = 0; count < times; count++) found.push((await post(name, {})).status)
  return found
}

proves('webhooks/rate-limit', async ({ gateway, post }) => {
  expect(await statuses(post, 'hook', 15)).toEqual(Array(15).fill(202))
  await gateway.advance(1000)
  expect(await statuses(post, 'hook', 16)).toEqual([...Array(15).fill(202), 429])
  expect((await post('hook', {})).json()).toEqual({ error: 'Rate limit exceeded' })
  // A post counts until 60 seconds have passed, including that moment.
  await gateway.advance(59_000)
  expect((await post('hook', {})).status).toBe(429)
  await gateway.advance(1)
  expect(await statuses(post, 'hook', 16)).toEqual([...Array(15).fill(202), 429])
})

proves(
  'webhooks/rate-counts',
  async ({ gateway, post, send }) => {
    gateway.failDeliveries({ target: 'telegram', error: 'x', times: 1 })
    const counted = [
      await post('note', '['),
      await post('note', { type: 'no' }),
      await post('note', {}, id('1')),
      await post('note', {}, id('1')),
      await post('note', {}, id('1')),
    ]
    expect(counted.map(({ status }) => status)).toEqual([400, 200, 502, 200, 200])
    await gateway.advance(60_000)
    const uncounted = [
      await send('POST', '/webhooks/note', '{}'),
      await send('POST', '/webhooks/other', '{}'),
      await post('note', ' '.repeat(101)),
    ]
    expect(uncounted.map(({ status }) => status)).toEqual([401, 404, 413])
    expect(await statuses(post, 'note', 2)).toEqual([429, 429])
    await gateway.advance(1)
    expect(await statuses(post, 'note', 6)).toEqual([200, 200, 200, 200, 200, 429])
  },
  { rateLimit: 5, maxBodyBytes: 100, routes: { note: direct('x', { events: ['unknown'] }) } },
)

proves(
  'webhooks/rate-per-route',
  async ({ post }) => {
    expect(await statuses(post, 'one', 3)).toEqual([202, 202, 429])
    expect(await statuses(post, 'two', 3)).toEqual([202, 202, 429])
  },
  { rateLimit: 2, routes: { one: hook, two: hook } },
)

proves(
  'webhooks/rate-per-route',
  async ({ post }) => expect(await statuses(post, 'hook', 2)).toEqual([429, 429]),
  { rateLimit: 0 },
)

proves('webhooks/id-made', async ({ post, gateway }) => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => post('hook', {})))
  expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(202))
  expect(new Set(replies.map((reply) => reply.json().delivery_id)).size).toBe(20)
  expect(gateway.runs()).toHaveLength(20)
})

proves(
  'webhooks/id-restarts',
  withCli(async (cli) => {
    const firstIds = async (options: readonly GatewayOptions[]): Promise<readonly string[]> => {
      const ids: string[] = []
      for (const given of options) {
        const subject = await startGatewaySubject({ seed: given.seed ?? '0' })
        ids.push((await subject.post('hook', {})).json().delivery_id)
        await subject.close()
      }
      return ids
    }
    const [first, second] = await firstIds([await optionsOf(cli), await optionsOf(cli)])
    expect(first).not.toBe(second)
    const [third, fourth] = await firstIds([{}, {}])
    expect(third).toBe(fourth)
  }),
)

proves('webhooks/duplicate', async ({ post, gateway, idle }) => {
  expect((await post('hook', { n: 1 }, id('same'))).status).toBe(202)
  const again = await post('hook', { n: 2 }, id('same'))
  expect({ status: again.status, json: again.json() }).toEqual({
    status: 200,
    json: { status: 'duplicate', delivery_id: 'same' },
  })
  await idle()
  expect(gateway.runs().map(({ payload }) => payload)).toEqual([{ n: 1 }])
  expect(gateway.outbox()).toHaveLength(1)
})

proves('webhooks/id-lifetime', async ({ breaks, post, gateway }) => {
  breaks('webhooks/duplicate')
  expect((await post('hook', {}, id('a'))).status).toBe(202)
  await gateway.advance(3_599_999)
  expect((await post('hook', {}, id('a'))).status).toBe(200)
  await gateway.advance(1)
  expect((await post('hook', {}, id('a'))).status).toBe(202)
  // From here on its time starts again.
  await gateway.advance(3_599_999)
  expect((await post('hook', {}, id('a'))).status).toBe(200)
})

const two = { routes: { one: hook, two: hook, on: hook, e: hook } }

proves(
  'webhooks/id-per-route',
  async ({ post }) => {
    expect((await post('one', {}, id('a'))).status).toBe(202)
    expect((await post('two', {}, id('a'))).status).toBe(202)
    // Names and ids cannot be confused with one another.
    expect((await post('on', {}, id('ea'))).status).toBe(202)
    expect((await post('one', {}, id('a'))).status).toBe(200)
  },
  two,
)

proves(
  'webhooks/id-recorded',
  async ({ post, send, gateway }) => {
    await send('POST', '/webhooks/hook', '{}', id('a'))
    await post('hook', '[', id('a'))
    await post('hook', { type: 'no' }, id('a'))
    await post('hook', { type: 'yes', text: 'x'.repeat(200) }, id('a'))
    const full = await post('hook', { type: 'yes' }, id('a'))
    expect(full.status).toBe(429)
    await gateway.advance(60_001)
    expect((await post('hook', { type: 'yes' }, id('a'))).status).toBe(202)
    expect((await post('hook', { type: 'yes' }, id('a'))).status).toBe(200)
  },
  {
    rateLimit: 3,
    routes: { hook: { ...hook, events: ['yes'], prompt: '{text}'.repeat(100_000) } },
  },
)

proves(
  'webhooks/id-forgotten',
  async ({ post, gateway, texts }) => {
    gateway.failDeliveries({ target: 'telegram', error: 'down', times: 2 })
    const found: number[] = []
    for (let count = 0; count < 4; count++) found.push((await post('note', {}, id('a'))).status)
    expect(found).toEqual([502, 502, 200, 200])
    expect(texts()).toHaveLength(3)
  },
  { routes: { note: direct('x') } },
)

const begun = createArrivals<(error?: Error) => void>()
const arrived = createArrivals<number>()

proves(
  'webhooks/repeat-waits',
  async ({ breaks, post, gateway }) => {
    breaks('webhooks/duplicate')
    const replyTo = async (name: string): Promise<readonly [number, string]> => {
      const reply = await post(name, {}, id('a'))
      return [reply.status, reply.json().status]
    }
    /** Two posts with one id while its delivery is under way, which then ends like this, and one with another route. */
    const both = async (error?: Error) => {
      const first = replyTo('note')
      const [end] = await begun.next(1)
      await arrived.next(1)
      const second = replyTo('note')
      await arrived.next(1)
      const other = replyTo('other')
      const [endOther] = await begun.next(1)
      await arrived.next(1)
      endOther?.()
      expect(await other).toEqual([200, 'delivered'])
      end?.(error)
      return Promise.all([first, second])
    }
    const failed = [502, 'error']
    expect(await both(new Error('down'))).toEqual([failed, failed])
    await gateway.advance(3_600_000)
    // What failed is new, and what was delivered is not.
    expect(await both()).toEqual([
      [200, 'delivered'],
      [200, 'duplicate'],
    ])
    expect(await replyTo('note')).toEqual([200, 'duplicate'])
    const replayed = replayGateway((await gateway.journal()).join('\n'))
    expect(replayed.differs).toBeNull()
  },
  {
    routes: { note: direct('x'), other: direct('x') },
    deliveries: () =>
      new Promise((resolve, reject) => {
        begun.take((error) => (error === undefined ? resolve() : reject(error)))
      }),
    onEntry: ({ input }) => {
      if (input.kind === 'request') arrived.take(input.request)
    },
  },
)

// This many posts over HTTP take long: the case sends them to the machine behind HTTP, created from the gateway's
// setup.
proves(
  'webhooks/ids-bounded',
  async ({ gateway }) => {
    const [header = '{}'] = await gateway.journal()
    const { options } = JSON.parse(header) as { options: GatewayStateOptions }
    const world = createGatewayWorld({
      ...options,
      routes: JSON.stringify({ hook: { ...hook, prompt: 'x' } }),
    })
    const body = new Uint8Array()
    const post = (name: string): number => {
      const headers = { 'x-gitlab-token': SECRET, 'x-request-id': name }
      const target = '/webhooks/hook'
      const asked = { kind: 'request', atMs: 0, request: 1, method: 'POST', target } as const
      const effects = step(world, { ...asked, headers, body })
      return effects.find((effect) => effect.kind === 'reply')?.status ?? 0
    }
    expect([post('first'), post('second'), post('first')]).toEqual([202, 202, 200])
    const found = new Set(Array.from({ length: 99_999 }, (_, at) => post(`${at}`)))
    expect([...found]).toEqual([202])
    // The forgotten one is new, and then the one after it is forgotten.
    expect(['99998', 'first', 'second', '50000'].map(post)).toEqual([200, 202, 202, 200])
  },
  { rateLimit: 200_000 },
)

provesQuirk(
  'webhooks.global-ids',
  async ({ post }) => {
    expect((await post('one', {}, id('a'))).status).toBe(202)
    expect((await post('two', {}, id('a'))).json().status).toBe('duplicate')
  },
  two,
)

provesQuirk('webhooks.millisecond-ids', async ({ post, gateway }) => {
  expect((await post('hook', {})).json().delivery_id).toBe('1767225600000')
  expect((await post('hook', {})).json().status).toBe('duplicate')
  await gateway.advance(1)
  expect((await post('hook', {})).json().delivery_id).toBe('1767225600001')
})

provesQuirk(
  'webhooks.duplicate-after-502',
  async ({ post, gateway, texts }) => {
    gateway.failDeliveries({ target: 'telegram', error: 'down', times: 1 })
    expect((await post('note', {}, id('a'))).status).toBe(502)
    expect((await post('note', {}, id('a'))).json().status).toBe('duplicate')
    expect(texts()).toHaveLength(1)
  },
  { routes: { note: direct('x') } },
)
