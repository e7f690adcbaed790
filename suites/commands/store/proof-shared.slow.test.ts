// Real receivers and workers on one PostgreSQL, killed at random moments: a sample of the long proof.

import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { nothingLost, promises } from '../../support/stores/kills-in-file.ts'
import { countPostgresKills } from '../../support/stores/kills-on-postgres.ts'

proves([...promises, 'store/takeover'], async () => {
  const counted = await countPostgresKills(20260116, 8, false)
  expect(counted).toMatchObject({ ...nothingLost, refused: 0 })
  expect(counted.accepted).toBeGreaterThan(8)
})
