// The time limit of `check`: it also holds within a case, whatever the target does.

import { startEmulator } from 'flowdouble'
import { expect } from '../../../judge/expect.ts'
import { test } from '../../../judge/proves.ts'
import { start } from '../../../support/spawned.ts'

test('check/time A case that waits for an answer without an end is given up when the time is used up.', async () => {
  const faults = [{ when: { path: '/view' }, then: { delayMs: 600_000 } }]
  const server = await startEmulator({ port: 0, scenario: { version: 1, faults } })
  try {
    const words = ['--only', 'files/view-headers', '--max-seconds', '3', '--json']
    const { code, stdout } = await start('check', server.url, ...words).ends
    expect(code).toBe(5)
    expect(stdout).toContain('The time is used up: see --max-seconds.')
  } finally {
    await server.close()
  }
})
