// Every combination of what an operator may allow, as the server counts what a check does there.

import { test } from 'vitest'
import { allowances } from '../../../../spec/check.ts'
import { expect } from '../../../judge/expect.ts'
import { countedCheck, trespasses } from './counted.ts'

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
