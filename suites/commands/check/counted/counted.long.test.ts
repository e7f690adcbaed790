// Every combination of what an operator may allow, as the server counts what a check does there; and the limits of time.

import { test } from 'vitest'
import { allowances } from '../../../../spec/check.ts'
import { expect } from '../../../judge/expect.ts'
import { countedCheck, trespasses } from './counted.ts'
import { startEmulator } from 'flowdouble'
import { start } from '../../../support/spawned.ts'
import { forTest } from '../../../support/for-test.ts'

const names = Object.keys(allowances)
/** Every set of them, by the bits of a number. */
const sets = Array.from({ length: 2 ** names.length }, (_, bits) =>
  names.filter((_, at) => (bits & (1 << at)) !== 0).join(','),
)

for (const deployment of ['local', 'hosted'] as const) {
  test.each(sets)(
    `check/counted-sets On ${deployment}, --allow %j: nothing else is done, and no run too many.`,
    async (allow) => {
      const flags = allow === '' ? [] : ['--allow', allow]
      const most = 20
      const counted = await countedCheck(deployment, [...flags, '--max-runs', `${most}`])
      expect(counted.runs.length).toBeLessThanOrEqual(most)
      expect(trespasses(counted, allow)).toEqual([])
      const readOnly = await countedCheck(deployment, [...flags, '--read-only'])
      expect({ runs: readOnly.runs, after: readOnly.after }).toEqual({
        runs: [],
        after: readOnly.before,
      })
    },
  )
}

test('check/time A case that waits for an answer without an end is given up when the time is used up.', async () => {
  const faults = [{ when: { path: '/view' }, then: { delayMs: 600_000 } }]
  const server = await forTest(startEmulator({ port: 0, scenario: { version: 1, faults } }))
  const words = ['--only', 'files/view-headers', '--max-seconds', '3', '--json']
  const { code, stdout } = await start('check', server.url, ...words).ends
  expect(code).toBe(5)
  expect(stdout).toContain('The time is used up: see --max-seconds.')
})

test('diff/time A session that waits for an answer without an end is given up when the time is used up.', async () => {
  const faults = [{ when: { path: '/queue' }, then: { delayMs: 600_000 } }]
  const silent = await startEmulator({ port: 0, scenario: { version: 1, faults } })
  const other = await startEmulator({ port: 0 })
  try {
    expect(await start('diff', silent.url, other.url, '--max-seconds', '3').ends).toEqual({
      code: 5,
      stdout: '',
      stderr: 'The time is used up: see --max-seconds.\n',
    })
  } finally {
    await Promise.all([silent.close(), other.close()])
  }
})
