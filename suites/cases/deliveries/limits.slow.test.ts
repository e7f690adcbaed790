// How many agent runs a gateway lets wait, and how many it keeps.

import { postAll, SECRET } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const routes = { hook: { secret: SECRET, prompt: '{text}' } }
const body = '{"text": "x"}'
const ids = (count: number) => Array.from({ length: count }, (_, at) => `id-${at}`)
const never = () => new Promise<string>(() => {})

proves(
  ['deliveries/runs-bounded', 'webhooks/health-runs'],
  async ({ gateway, url, post, send, idle }) => {
    const state = async () => (await send('GET', '/health')).json().runs
    expect(await state()).toEqual({ at_work: 0, waiting: 0, waiting_bytes: 0 })
    expect(await postAll(url, ids(1000), body)).toEqual(Array(1000).fill(202))
    const refused = await post('hook', { text: 'x' }, { 'X-Request-ID': 'one-too-many' })
    expect({ status: refused.status, json: refused.json() }).toEqual({
      status: 503,
      json: { error: 'Too many runs waiting' },
    })
    expect(Number(refused.header('retry-after'))).toBeGreaterThan(0)
    const bytes = 1000 * ('x'.length + body.length)
    expect(await state()).toEqual({ at_work: 0, waiting: 1000, waiting_bytes: bytes })
    await gateway.advance(5000)
    expect(await state()).toEqual({ at_work: 0, waiting: 0, waiting_bytes: 0 })
    // A sender that tries again is accepted.
    const again = await post('hook', { text: 'x' }, { 'X-Request-ID': 'one-too-many' })
    expect(again.status).toBe(202)
    await idle()
    expect(gateway.runs()).toHaveLength(1001)
  },
  { routes, rateLimit: 2000, agent: { delayMs: 5000 } },
)

proves(
  ['deliveries/runs-bounded', 'webhooks/health-runs'],
  async ({ post, send }) => {
    const text = 'x'.repeat(8 * 2 ** 20)
    const statuses: number[] = []
    // The agent is working on the first one.
    for (let count = 0; count < 6; count++) statuses.push((await post('hook', { text })).status)
    expect(statuses).toEqual([202, 202, 202, 202, 503, 503])
    const { at_work, waiting, waiting_bytes } = (await send('GET', '/health')).json().runs
    expect({ at_work, waiting }).toEqual({ at_work: 1, waiting: 3 })
    expect(waiting_bytes).toBeLessThan(64 * 2 ** 20)
    expect(waiting_bytes).toBeGreaterThan(48 * 2 ** 20)
  },
  { routes, maxBodyBytes: 2 ** 24, agent: never, agentsAtOnce: 1 },
)

proves(
  'deliveries/runs-kept',
  async ({ gateway, post, idle }) => {
    const text = 'x'.repeat(900_000)
    for (let count = 0; count < 30; count++) await post('hook', { text, count })
    await idle()
    // Prompt, payload and answer of each are stored: 24 of them fill the available room.
    const held = gateway.runs().map(({ payload }) => (payload as { count: number }).count)
    expect(held.at(-1)).toBe(29)
    expect(held).toEqual(held.map((_, at) => 30 - held.length + at))
    expect([held.length > 20, held.length < 27]).toEqual([true, true])
    expect(gateway.outbox()).toHaveLength(30)
  },
  { routes, rateLimit: 100 },
)

proves(
  'deliveries/runs-kept',
  async ({ gateway, url, idle }) => {
    await postAll(
      url,
      Array.from({ length: 10_005 }, (_, at) => `${at}`),
    )
    await idle()
    const runs = gateway.runs()
    expect([runs.length, gateway.outbox().length]).toEqual([10_000, 10_000])
    expect([runs[0]?.delivery_id, runs.at(-1)?.delivery_id]).toEqual(['5', '10004'])
    expect(gateway.outbox()[0]?.delivery_id).toBe('5')
  },
  { routes, rateLimit: 20_000 },
)

provesQuirk(
  'webhooks.unbounded-runs',
  async ({ url }) => {
    expect(await postAll(url, ids(1001), body)).toEqual(Array(1001).fill(202))
  },
  { routes, rateLimit: 2000, agent: { delayMs: 5000 } },
)
