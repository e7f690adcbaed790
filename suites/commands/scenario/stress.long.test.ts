// The scenarios of the package: each changes what happens, and does the same on a busy machine.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, test } from 'vitest'
import { scenarioNames } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { playNamed, playScenario } from '../../judge/play-scenario.ts'

const calm = new Map<string, readonly string[]>()
let busy: readonly Worker[] = []

beforeAll(async () => {
  for (const name of scenarioNames()) calm.set(name, await playNamed(name))
  const threads = Array.from({ length: 2 * availableParallelism() })
  busy = threads.map(() => new Worker('for (;;) Math.random()', { eval: true }))
}, 300_000)

afterAll(async () => {
  await Promise.all(busy.map((one) => one.terminate()))
})

test.each(scenarioNames())(
  'a session with %s has the same journal under load',
  async (name) => {
    expect(await playNamed(name)).toEqual(calm.get(name))
  },
  120_000,
)

/** The session has no video, and follows no link. */
const unseen = ['expired-signed-link', 'videos-under-images']

test('each scenario changes the session of a server without one', async () => {
  const local = await playScenario({ version: 1 })
  const hosted = await playScenario({ version: 1, world: { deployment: 'hosted' } })
  const plain = new Set([local.join('\n'), hosted.join('\n')])
  const same = [...calm].filter(([, journal]) => plain.has(journal.join('\n')))
  expect(same.map(([name]) => name)).toEqual(unseen)
}, 60_000)
