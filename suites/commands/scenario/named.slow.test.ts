// The scenarios of the package: each does in a second session what it did in the first.

import { scenarioNames } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { playNamed } from '../../judge/play-scenario.ts'
import { test } from '../../judge/proves.ts'
import { sampleOf } from '../../support/effort.ts'

test('there are at least 30 scenarios', () => {
  expect(scenarioNames().length).toBeGreaterThanOrEqual(30)
})

for (const name of sampleOf(scenarioNames(), 4)) {
  test(`two sessions with ${name} have the same journal`, async () => {
    const first = await playNamed(name)
    expect(first.length).toBeGreaterThan(4)
    expect(await playNamed(name)).toEqual(first)
  })
}
