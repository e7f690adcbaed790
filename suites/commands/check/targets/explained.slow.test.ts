// A check of a server that explains its replies: what the header adds breaks no rule.

import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { expect } from '../../../judge/expect.ts'
import { start } from '../../../support/spawned.ts'

test.each(['local', 'hosted'] as const)(
  'check/explained A check of a %s server that explains its replies finds no broken rule of HTTP.',
  async (deployment) => {
    const server = await startEmulator({ deployment, clock: 'instant', explain: true })
    const key = deployment === 'hosted' ? ['--key', 'test-key'] : []
    const { code, stdout } = await start('check', server.url, ...key, '--only', 'http').ends
    await server.close()
    expect(code, stdout).toBe(0)
  },
)
