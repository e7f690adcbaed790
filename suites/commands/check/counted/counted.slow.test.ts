// What a check does on a server, as the server counts it: never more than its operator allows. Checks wait for much of their
// time, each for its own world, so they run at the same time.

import { test } from 'vitest'
import { expect } from '../../../judge/expect.ts'
import { isLong, sampleOf } from '../../../support/effort.ts'
import { countedCheck, trespasses } from './counted.ts'

const only = (...areas: readonly string[]): readonly string[] =>
  areas.flatMap((area) => ['--only', area])

const http = only('http', 'workflows', 'queue')

/** In the sample: the areas whose cases write, and that of raw bytes. */
const areas = isLong
  ? []
  : only('http', 'workflows', 'queue', 'history', 'files', 'userdata', 'settings', 'internal')

// The long run tries each set of allowances with this flag, on both.
test.concurrent.each(sampleOf(['local', 'hosted'] as const, 2))(
  'check/counted-read-only With --read-only, %s, nothing is submitted and nothing changes, in raw bytes neither.',
  async (deployment) => {
    const counted = await countedCheck(deployment, ['--read-only', '--allow', 'all'])
    const { after, before, judged, obeyed, runs } = counted
    expect({ runs, after }).toEqual({ runs: [], after: before })
    // What has no effect, whoever reads it.
    expect(obeyed.filter(({ line, body }) => !isWithoutEffect(line, body))).toEqual([])
    expect(judged).toBeGreaterThan(deployment === 'local' ? 40 : 10)
  },
)

/** A listing is changed by its members alone, and an object has none of them. */
const isWithoutEffect = (line: string, body: string): boolean =>
  /^POST (\/api)?\/(queue|history)$/.test(line) && !/^\s*\{.*(clear|delete)/s.test(body)

test.concurrent.each(sampleOf(['local', 'hosted'] as const, 2))(
  'check/counted-guest By default, %s, a check leaves the lists of files, user data, runs and settings as they were.',
  async (deployment) => {
    const { after, before, code, judged } = await countedCheck(deployment, areas)
    expect(code).toBe(0)
    expect(after).toEqual(before)
    expect(judged).toBeGreaterThan(100)
  },
)

test.concurrent.each(sampleOf([1, 3], 2))(
  'check/counted-runs With --max-runs %i the server never starts more runs, whoever writes the bytes.',
  async (most) => {
    const counted = await countedCheck('local', ['--max-runs', `${most}`, ...http])
    expect(counted.runs).toHaveLength(most)
    expect(trespasses(counted, '')).toEqual([])
  },
)
