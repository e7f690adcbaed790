// What an operator of a shared server reads: its metrics, as Prometheus reads them, and the list of its worlds.

import { startEmulator } from 'flowdouble'
import { processMetrics, serverMetrics } from '../../../spec/metrics.ts'
import { solid, talking, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { readMetrics } from '../../support/gateway/prometheus.ts'
import { lookClock } from './look-clock.ts'

const ADMIN = 'token-of-the-admin'

/** The metrics for a program on another machine without a token: the values by name and labels. */
async function metricsAt(url: string) {
  const headers = { Via: '1.1 proxy', Host: 'double.example' }
  const reply = await exchange(url, 'GET', '/_flowdouble/metrics', headers)
  expect(reply.status).toBe(200)
  expect(reply.header('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = readMetrics(reply.body)
  const values = Array.from(families.values(), ({ samples }) => [...samples]).flat()
  return { families, text: reply.body, of: Object.fromEntries(values) as Record<string, number> }
}

const assetTexts = 'a.bin'.length + 'input'.length + '{}'.length

proves(['shared/metrics', 'shared/metrics-open'], async ({ deployment }) => {
  const clock = lookClock()
  const server = await startEmulator({
    deployment,
    shared: true,
    controlToken: ADMIN,
    clock: 'manual',
    worldIdle: 60,
    worldRuns: 2,
    expiry: clock.expiry,
  })
  const described = Object.values({ ...serverMetrics, ...processMetrics })
  const before = await metricsAt(server.url)
  expect([...before.families.keys()]).toEqual(described.map(({ name }) => name))
  for (const { name, type, help } of described)
    expect(before.families.get(name)).toMatchObject({ type, help })
  const first = subjectOf(await server.world({ name: 'secret-name-of-a-job' }))
  const second = subjectOf(await server.world())
  const session = await first.connect('me')
  await first.submit(textToImage(1), { client_id: 'me' })
  await first.idle()
  await session.settled()
  await second.submit(solid())
  await second.upload({ name: 'a.bin', bytes: Buffer.alloc(1000, 'a') })
  const { of, text } = await metricsAt(server.url)
  expect(of).toMatchObject({
    'flowdouble_worlds{}': 2,
    'flowdouble_worlds_created_total{}': 2,
    'flowdouble_worlds_expired_total{}': 0,
    'flowdouble_sockets{}': 1,
    'flowdouble_runs_waiting{}': 1,
    'flowdouble_runs_total{state="success"}': 1,
    'flowdouble_runs_total{state="error"}': 0,
    'flowdouble_messages_total{kind="text"}': session.messages().length,
    'flowdouble_messages_total{kind="binary"}': 0,
    // On hosted an upload is an asset, whose texts count: its name, its tag and its metadata.
    'flowdouble_bytes{kind="uploads"}': 1000 + (deployment === 'hosted' ? assetTexts : 0),
    'flowdouble_limit_bytes{}': 96 * 2 ** 20,
    'flowdouble_trims_total{}': 0,
    'flowdouble_worlds_full{}': 0,
  })
  expect(of['flowdouble_requests_total{}']).toBeGreaterThanOrEqual(3)
  for (const kind of ['history', 'journal', 'waiting'])
    expect(of[`flowdouble_bytes{kind="${kind}"}`]).toBeGreaterThan(100)
  // They name nobody, and belong to no world.
  expect(text).not.toContain('secret-name')
  for (const { emulator } of [first, second]) expect(text).not.toContain(emulator!.worldToken!)
  expect((await exchange(server.url, 'GET', '/w/w1/_flowdouble/metrics', {})).status).toBe(403)
  await session.close()
  await session.closed
  // What closed worlds have done still counts.
  clock.at(60)
  expect((await metricsAt(server.url)).of).toMatchObject({
    'flowdouble_worlds{}': 0,
    'flowdouble_worlds_created_total{}': 2,
    'flowdouble_worlds_expired_total{}': 2,
    'flowdouble_sockets{}': 0,
    'flowdouble_runs_waiting{}': 0,
    'flowdouble_runs_total{state="success"}': 1,
    'flowdouble_bytes{kind="uploads"}': 0,
  })
  await server.close()
})

proves('shared/listed', async ({ deployment }) => {
  const clock = lookClock()
  const server = await startEmulator({
    deployment,
    shared: true,
    controlToken: ADMIN,
    clock: 'manual',
    expiry: clock.expiry,
  })
  const listed = async () => {
    const headers = { Authorization: `Bearer ${ADMIN}` }
    const { body } = await exchange(server.url, 'GET', '/_flowdouble/worlds', headers)
    return JSON.parse(body) as readonly { name: string; url: string; bytes: number }[]
  }
  const busy = subjectOf(await server.world({ name: 'busy' }))
  clock.at(10)
  await server.world({ name: 'new' })
  await busy.submit(talking('x'.repeat(1000)))
  await busy.submit(solid())
  await busy.idle()
  clock.at(15)
  const session = await busy.connect('me')
  clock.at(20)
  const [one, other] = await listed()
  const url = `${server.url}/w/busy`
  const bytes = expect.any(Number)
  expect(one).toEqual({ name: 'busy', url, ageMs: 20_000, idleMs: 0, bytes, runs: 2, sockets: 1 })
  expect(other).toMatchObject({ name: 'new', ageMs: 10_000, idleMs: 10_000, runs: 0, sockets: 0 })
  expect(one!.bytes).toBeGreaterThan(other!.bytes + 3000)
  await session.close()
  await session.closed
  // Whoever has the token of a world lists that one alone, in the same way.
  const { worldToken } = busy.emulator!
  const headers = { Authorization: `Bearer ${worldToken}` }
  const own = await exchange(server.url, 'GET', '/w/busy/_flowdouble/worlds', headers)
  expect(JSON.parse(own.body)).toMatchObject([{ name: 'busy', runs: 2, sockets: 0 }])
  await server.close()
})
