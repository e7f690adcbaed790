// The time limits of `check` and `diff`: they also hold within a case or a session, whatever the target does.

import { startEmulator } from 'flowdouble'
import { expect } from '../../../judge/expect.ts'
import { test } from '../../../judge/proves.ts'
import { start } from '../../../support/spawned.ts'
import { forTest } from '../../../support/for-test.ts'

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
