// The scenarios of the package do the same on a busy machine.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, test } from 'vitest'
import { scenarioNames } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { playNamed } from '../../judge/play-scenario.ts'

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
