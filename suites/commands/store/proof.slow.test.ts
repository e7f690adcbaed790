// Real processes of a gateway with a store in a file, killed at random moments: a sample of the long proof.

import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { countFileKills, nothingLost, promises } from '../../support/stores/kills-in-file.ts'

proves(promises, async () => {
  const counted = await countFileKills(20260114, 20)
  expect(counted).toMatchObject({ ...nothingLost, refused: 0 })
  expect(counted.accepted).toBeGreaterThan(20)
})
