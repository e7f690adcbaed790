// A gateway under load for long: a day of posts, of which each becomes something, and far more posts than its agents can
// answer. Its clock is a manual one, so that hours take minutes.

import { join } from 'node:path'
import type { AgentRun, Delivery } from 'flowdouble'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { postAll, SECRET } from '../../judge/gateway-subject.ts'
import { commandLineAt, enabled } from '../../support/command-line.ts'
import { newFiles } from '../../support/files.ts'
import { heldMb } from '../../support/heap.ts'
import { inDatabase } from '../../support/stores/database.ts'
import { newStorePath, startStored } from '../../support/stores/gateways.ts'
import { randomOf } from '../../support/stores/outside.ts'

const route = { secret: SECRET, prompt: '{text}', deliver: 'telegram' }
const MINUTE_MS = 60_000
/** How much more may be held at the end than when all that is bounded is full, in MB. */
const MOST_MB = 30

test('Of 100,000 posts in a day each one is delivered, silent, dead or cancelled, and memory stays flat', async () => {
  const { dir } = newFiles({ 'config.yaml': enabled() })
  const cli = commandLineAt(dir)
  const store = join(dir, 'gateway.sqlite')
  const random = randomOf(20261128)
  /** The confirmed deliveries by the id of their post. */
  const arrived = new Map<string, number>()
  const deliveries = ({ delivery_id }: Delivery): Promise<void> => {
    const chance = random()
    if (chance < 0.85) {
      arrived.set(delivery_id, (arrived.get(delivery_id) ?? 0) + 1)
      return Promise.resolve()
    }
    const status = chance < 0.97 ? 503 : 403
    return Promise.reject(Object.assign(new Error(`status ${status}`), { status }))
  }
  const gateway = await startStored(store, {
    routes: { a: route, b: { ...route, in_order: true }, silent: route },
    agent: { answer: '{prompt}', delayMs: 20_000 },
    deliveries,
  })
  const MINUTES = 24 * 60
  const BY_MINUTE = 70
  let cancelled = 0
  let earlyMb = 0
  for (let minute = 0; minute < MINUTES; minute++) {
    const ids = Array.from({ length: BY_MINUTE }, (_, at) => `${minute}-${at}`)
    for (const [name, part, text] of [
      ['a', ids.slice(0, 65), 'x'],
      ['b', ids.slice(65, 67), 'x'],
      ['silent', ids.slice(67), 'SILENT'],
    ] as const)
      expect(await postAll(gateway.url, part, JSON.stringify({ text }), name)).toEqual(
        part.map(() => 202),
      )
    if (minute % 10 === 0) {
      expect((await cli.run('gateway', 'runs', 'cancel', `${minute}-0`)).code).toBe(0)
      cancelled++
    }
    await gateway.advance(MINUTE_MS)
    if (minute === MINUTES / 4) earlyMb = heldMb()
  }
  await gateway.until('idle')
  const grownMb = heldMb() - earlyMb
  await gateway.close()
  const rows = await inDatabase(
    store,
    'SELECT state, COUNT(*) AS count FROM flowdouble_runs GROUP BY state ORDER BY state',
  )
  const count = Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['count'])]))
  const accepted = MINUTES * BY_MINUTE
  expect(Object.keys(count)).toEqual(['cancelled', 'dead', 'delivered', 'silent'])
  expect(Object.values(count).reduce((sum, one) => sum + one)).toBe(accepted)
  expect(count).toMatchObject({ cancelled, silent: MINUTES * 3, delivered: arrived.size })
  expect([...arrived.values()].filter((times) => times > 1)).toEqual([])
  expect(count['dead']).toBeGreaterThan(accepted / 100)
  expect(grownMb).toBeLessThan(MOST_MB)
})

test('With ten times the posts that agents can answer, for ten minutes, quiet routes are not refused, and memory stays flat', async () => {
  const [AGENTS, TICK_MS] = [4, 500]
  const ends: (() => void)[] = []
  const agent = ({ prompt }: AgentRun): Promise<string> =>
    new Promise((resolve) => ends.push(() => resolve(prompt)))
  // Each asks for less than its share, together with the busy one for ten times what there is.
  const quiet = ['q1', 'q2', 'q3']
  const routes = Object.fromEntries(['busy', ...quiet].map((name) => [name, route]))
  const gateway = await startStored(newStorePath(), { routes, agent, agentsAtOnce: AGENTS })
  const statuses = { busy: [] as number[], quiet: [] as number[] }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const TICKS = (10 * MINUTE_MS) / TICK_MS
  const body = JSON.stringify({ text: 'x'.repeat(1000) })
  let earlyMb = 0
  for (let tick = 0; tick < TICKS; tick++) {
    const ids = Array.from({ length: 10 * AGENTS - 2 }, (_, at) => `${tick}-${at}`)
    statuses.busy.push(...(await postAll(gateway.url, ids, body, 'busy')))
    for (const at of [0, 1]) {
      const name = quiet[(2 * tick + at) % quiet.length]
      statuses.quiet.push(...(await postAll(gateway.url, [`${tick}-quiet-${at}`], body, name)))
    }
    await gateway.advance(TICK_MS)
    const begun = ends.splice(0)
    for (const end of begun) end()
    // The agents go on when what they have answered is stored.
    while (ends.length < begun.length) await turn()
    if (tick === TICKS / 4) earlyMb = heldMb()
  }
  const grownMb = heldMb() - earlyMb
  const part = (of: readonly number[], status: number): number =>
    of.filter((one) => one === status).length / of.length
  expect(part(statuses.quiet, 503)).toBeLessThan(0.05)
  expect(part(statuses.busy, 503)).toBeGreaterThan(0.8)
  expect(part(statuses.busy, 503) + part(statuses.busy, 202)).toBe(1)
  expect(grownMb).toBeLessThan(MOST_MB)
  // All that was accepted is answered, though it was much.
  const accepted = [...statuses.busy, ...statuses.quiet].filter((one) => one === 202).length
  const working = setInterval(() => {
    for (const end of ends.splice(0)) end()
  })
  await gateway.until('idle')
  clearInterval(working)
  expect(gateway.outbox().filter(({ status }) => status === 'delivered')).toHaveLength(accepted)
  await gateway.close()
})
