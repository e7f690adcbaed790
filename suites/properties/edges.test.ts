// Each case of the contract has the same result on every edge: over sockets, within this process, and through msw.

import { createRequire } from 'node:module'
import { afterAll, describe, expect, test } from 'vitest'
import { cases } from '../house/cases.ts'
import type { Case } from '../judge/proves.ts'
import { edgeDifferences } from '../parity/edges.ts'
import { isLong, sampleOf } from '../support/effort.ts'

const nameOf = ({ ids, place }: Case): string => `${ids.join(' + ')} [${place}]`
/** The cases of servers. A duty starts a Node server for its client, so that the edge makes no difference to it. */
const ofServers = cases.filter(
  ({ place, ids }) => place !== 'gateway' && !ids.some((id) => id.startsWith('duties/')),
)
const names = new Set(ofServers.map(nameOf))

/** Whether a server cannot start without a network or a disk, by its options. */
const needsMore = (error: unknown): boolean =>
  /needs a server on the network|there is no disk here/.test(String(error))

const mswVersion = parseInt(createRequire(import.meta.url)('msw/package.json').version)

describe.each(['fetch', 'msw'] as const)('edge %s', (edge) => {
  const own = edgeDifferences
    .filter(({ on, since = 0 }) => on.includes(edge) && mswVersion >= since)
    .flatMap((one) => one.cases)
  const declared = new Set(own)
  const differing = new Set<string>()

  const run = async (one: Case): Promise<void> => {
    const start = one.start({ edge })
    const isImpossible = await start.then(() => false, needsMore)
    if (!isImpossible) await (await start)()
  }

  test.each(sampleOf(ofServers, 40).map((one) => [nameOf(one), one] as const))(
    '%s',
    async (name, one) => {
      if (!declared.has(name)) return run(one)
      if (isLong) await run(one).catch(() => differing.add(name))
    },
  )

  test('its differences are those of cases', () => {
    expect(own.filter((name) => !names.has(name))).toEqual([])
    expect(declared.size).toBe(own.length)
  })

  afterAll(() => {
    // Filled by the cases above.
    if (isLong) expect(own.filter((name) => !differing.has(name))).toEqual([])
  })
})
