// Real processes of a gateway with a store in a file, killed a thousand times at random moments.

import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { countFileKills, nothingLost } from '../../support/stores/kills-in-file.ts'

const HOUR_MS = 3_600_000

test(
  'store/delivered-once A thousand kills lose no run, repeat no confirmed delivery, and forget no id.',
  async () => {
    const counted = await countFileKills(20260115, 1000)
    expect(counted).toMatchObject(nothingLost)
    expect(counted.accepted).toBeGreaterThan(1000)
    expect(counted.repeats).toBeGreaterThan(0)
  },
  HOUR_MS,
)
