// How long and how many delivery ids a gateway remembers, and posts that repeat while the first is under way.

import { type GatewayOptions, replayGateway } from 'flowdouble'
import {
  createGatewayWorld,
  type GatewayStateOptions,
  stepGateway as step,
} from '../../../dist/emulator/internal.js'
import { provesCli, optionsOf } from '../../support/command-line.ts'
import { direct, SECRET, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { createArrivals } from '../../support/platforms.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const id = (text: string) => ({ 'X-Request-ID': text })
const hook = { secret: SECRET }

provesCli('webhooks/id-restarts', async (cli) => {
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
  { routes: { one: hook, two: hook } },
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
