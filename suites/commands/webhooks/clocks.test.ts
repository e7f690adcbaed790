// A gateway on a real clock whose machine is set to another time of day, by NTP or by its operator.

import { startGateway } from 'flowdouble'
import { headersOf } from '../../generate/senders.ts'
import { expect } from '../../judge/expect.ts'
import { SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'

const HOUR_MS = 3_600_000
const ci = { secret: SECRET, prompt: 'Build {status}' }
const body = '{"status": "red"}'
const dayTime = Date.now

/** Runs something with the time of day set ahead by milliseconds, or back. */
async function set(byMs: number, run: () => Promise<void>): Promise<void> {
  Date.now = () => dayTime() + byMs
  try {
    await run()
  } finally {
    Date.now = dayTime
  }
}

/** Posts to a gateway with a signed time; resolves to the status. */
async function post(url: string, atMs: number, id: string): Promise<number> {
  const timestamp = `${Math.floor(atMs / 1000)}`
  const headers = headersOf('standard', { body, secret: SECRET, timestamp, id })
  return (await fetch(`${url}/webhooks/ci`, { method: 'POST', body, headers })).status
}

proves('signatures/old-secret', async () => {
  const valid_until = new Date(dayTime() + HOUR_MS / 2).toISOString()
  const routes = { ci: { secret: 'new-secret', old_secrets: [{ secret: SECRET, valid_until }] } }
  const gateway = await startGateway({ port: 0, routes })
  const statuses: number[] = []
  for (const byMs of [0, HOUR_MS, -HOUR_MS])
    await set(byMs, async () => {
      statuses.push(await post(gateway.url, Date.now(), `id ${byMs}`))
    })
  expect(statuses).toEqual([202, 401, 202])
  await gateway.close()
})

proves('signatures/wall-clock', async () => {
  const gateway = await startGateway({ port: 0, routes: { ci } })
  for (const byMs of [-HOUR_MS, HOUR_MS])
    await set(byMs, async () => {
      expect(await post(gateway.url, Date.now(), `now ${byMs}`)).toBe(202)
      expect(await post(gateway.url, dayTime(), `before ${byMs}`)).toBe(401)
    })
  await gateway.close()
})

proves('webhooks/steady-time', async () => {
  let answer = (_: string): void => undefined
  const agent = (): Promise<string> => new Promise((resolve) => (answer = resolve))
  const gateway = await startGateway({ port: 0, routes: { ci }, agent, rateLimit: 3 })
  const statuses: number[] = []
  for (const [at, byMs] of [0, HOUR_MS, -HOUR_MS, HOUR_MS].entries())
    await set(byMs, async () => {
      statuses.push(await post(gateway.url, Date.now(), `id ${at}`))
    })
  // The window of the limit has not passed, whatever the time of day says, and an id is known for as long.
  expect(statuses).toEqual([202, 202, 202, 429])
  // Nor has the agent timed out.
  expect(gateway.runs()[0]).toMatchObject({ status: 'running' })
  answer('done')
  await gateway.close()
})

// Set in each phase of a run: when it waits, when its agent and its delivery are at work, and before the next attempt.
proves('webhooks/steady-time', async () => {
  let byMs = 0
  let changes = 0
  const change = (): void => {
    changes++
    byMs = byMs === HOUR_MS ? -HOUR_MS : HOUR_MS
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  let delivered = 0
  Date.now = () => dayTime() + byMs
  try {
    const gateway = await startGateway({
      port: 0,
      // A pause of seconds takes milliseconds.
      clock: 'x100',
      routes: { ci: { ...ci, deliver: 'telegram' } },
      homeChannels: { telegram: '42' },
      agentsAtOnce: 1,
      agent: async ({ prompt }) => {
        change()
        await turn()
        return prompt
      },
      deliveries: async ({ attempt }) => {
        change()
        await turn()
        if (attempt < 3) throw new Error('ECONNRESET')
        delivered++
      },
      onEntry: ({ effects }) => {
        for (const effect of effects)
          if (effect.kind === 'post' || effect.kind === 'outbox') change()
        if (delivered === 2) end()
      },
    })
    const headers = { 'X-Gitlab-Token': SECRET }
    for (const id of ['a', 'b'])
      await fetch(`${gateway.url}/webhooks/ci`, {
        method: 'POST',
        body,
        headers: { ...headers, 'X-Request-ID': id },
      })
    await ended
    expect(changes).toBe(2 + 2 + 6 + 6)
    for (const id of ['a', 'b']) {
      const tried = gateway.outbox().filter(({ delivery_id }) => delivery_id === id)
      expect(tried.map(({ status }) => status)).toEqual(['failed', 'failed', 'delivered'])
      const [first = 0, , last = 0] = tried.map(({ timestamp }) => timestamp)
      // Two pauses, and however long this machine took.
      expect(last - first).toBeGreaterThanOrEqual(3000)
      expect(last - first).toBeLessThan(HOUR_MS / 2)
    }
    await gateway.close()
  } finally {
    Date.now = dayTime
  }
})
