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
