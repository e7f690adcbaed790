// Real receivers and workers on one PostgreSQL, killed a thousand times at random moments, and their connections cut.

import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { Skip } from '../../judge/skip.ts'
import { nothingLost } from '../../support/stores/kills-in-file.ts'
import { countPostgresKills } from '../../support/stores/kills-on-postgres.ts'

const MAX_MS = 7_200_000

test(
  'store/takeover A thousand kills of gateways that share a database lose no run and repeat no confirmed delivery.',
  async ({ skip }) => {
    const counted = await countPostgresKills(20260118, 1000, true).catch((error: unknown) => {
      if (error instanceof Skip) return skip(error.detail)
      throw error
    })
    expect(counted).toMatchObject(nothingLost)
    expect(counted.accepted).toBeGreaterThan(1000)
    expect(counted.repeats).toBeGreaterThan(0)
  },
  MAX_MS,
)
