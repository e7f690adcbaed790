// The limit of waiting agent runs.

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

provesQuirk(
  'webhooks.unbounded-runs',
  async ({ url }) => {
    expect(await postAll(url, ids(1001), body)).toEqual(Array(1001).fill(202))
  },
  { routes, rateLimit: 2000, agent: { delayMs: 5000 } },
)
