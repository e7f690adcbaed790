// A counterexample is kept as a recording, and the next check plays it first: until the rule is kept.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { startEmulator } from 'flowdouble'
import { readHar } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { dropped } from '../../mutants/tamper.ts'
import { type Files, newFiles } from '../../support/files.ts'

/** Plays one session of this seed on a world. */
async function checked({ check }: Files, seed: number, options: object) {
  const world = await startEmulator({ clock: 'x20', ...options })
  try {
    const flags = ['--only', 'messages/order', '--allow', 'slow', '--sessions', '1', '--json']
    const limits = ['--seed', String(seed), '--max-runs', '400']
    const { code, cases } = await check(world.url, ...flags, ...limits)
    const failures = cases().filter(({ failure }) => failure?.exchanges !== undefined)
    return { code, failures }
  } finally {
    await world.close()
  }
}

test('sessions/kept What has broken a rule is kept, played first, and removed when the rule is kept again.', async () => {
  const files = newFiles()
  const wrong = { tamper: dropped('execution_cached')('local') }
  const first = await checked(files, 1, wrong)
  expect(first.failures.length).toBeGreaterThan(0)
  const file = first.failures[0]!.failure!.exchanges!
  const folder = dirname(file)
  expect(folder).toMatch(/flowdouble-check\.counterexamples$/)
  const { info } = readHar(readFileSync(file, 'utf8'), file)
  expect(info).toMatchObject({ place: 'local', seed: '1' })
  expect(info?.steps?.length).toBeGreaterThan(0)

  // Another seed finds the same by playing the first session again.
  const again = await checked(files, 2, wrong)
  expect(again.failures.map(({ title }) => title)).toEqual(first.failures.map(({ title }) => title))
  expect(readHar(readFileSync(file, 'utf8'), file).info?.seed).toBe('1')

  const right = await checked(files, 2, {})
  expect(right.code).toBe(0)
  expect(() => readdirSync(folder)).toThrow('ENOENT')
})
