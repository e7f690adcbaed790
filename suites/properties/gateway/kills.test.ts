// A gateway with a store in a file that ends after any input of any session: the next one goes on with what is on the disk.

import * as fc from 'fast-check'
import type { Gateway } from 'flowdouble'
import { expect, test } from 'vitest'
import { inDatabase } from '../../support/stores/database.ts'
import { afterKill, newStorePath, postText, startStored } from '../../support/stores/gateways.ts'
import { runs } from '../../support/effort.ts'

type Step =
  | { readonly kind: 'post'; readonly route: 'ci' | 'direct'; readonly text: string }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'fail'; readonly times: number; readonly error: string }
  | { readonly kind: 'kill' }

const someStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      route: fc.constantFrom('ci' as const, 'ci' as const, 'direct' as const),
      // The echo of the second one is silent.
      text: fc.constantFrom('one', 'one', '[SILENT]'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 1, 2000, 10_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      times: fc.integer({ min: 1, max: 9 }),
      // The second one is final.
      error: fc.constantFrom('network error', 'forbidden'),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'kill' as const }) },
)

/** The state of each run in the store, by its delivery id. */
async function statesIn(path: string): Promise<ReadonlyMap<string, string>> {
  const rows = await inDatabase(afterKill(path), 'SELECT delivery_id, state FROM flowdouble_runs')
  return new Map(
    rows.map((row) => [JSON.parse(String(row['delivery_id'])) as string, String(row['state'])]),
  )
}

const ended = new Set(['delivered', 'dead', 'silent', 'cancelled'])

test('store/run-at-least-once Whenever a gateway is killed, all accepted runs end, and what is delivered never repeats.', async () => {
  const seen = new Set<string>()
  const property = fc.asyncProperty(
    fc.array(someStep, { minLength: 5, maxLength: 25 }),
    async (steps) => {
      let path = newStorePath()
      const accepted = new Set<string>()
      const confirmed = new Set<string>()
      const repeated: string[] = []
      const gateways: Gateway[] = [await startStored(path)]
      const current = (): Gateway => gateways.at(-1) as Gateway
      /** What the present gateway delivers of what an earlier one has confirmed. */
      const judge = (): void => {
        for (const { delivery_id, status } of current().outbox())
          if (status === 'delivered' && confirmed.has(delivery_id)) repeated.push(delivery_id)
      }
      let count = 0
      for (const step of steps) {
        if (step.kind === 'pass') await current().advance(step.ms)
        if (step.kind === 'fail') {
          const { times, error } = step
          current().failDeliveries({ target: 'telegram', times, error })
        }
        if (step.kind === 'post') {
          const id = `${step.route}-${count++}`
          if ((await postText(current(), step.route, id, step.text)).status === 202)
            accepted.add(id)
        }
        if (step.kind !== 'kill') continue
        judge()
        path = afterKill(path)
        for (const [id, state] of await statesIn(path)) if (state === 'delivered') confirmed.add(id)
        gateways.push(await startStored(path))
      }
      await current().until('idle')
      judge()
      const states = await statesIn(path)
      await Promise.all(gateways.map((gateway) => gateway.close()))
      for (const state of states.values()) seen.add(state)
      expect(repeated).toEqual([])
      expect([...states.keys()].toSorted()).toEqual([...accepted].toSorted())
      expect([...states.values()].filter((state) => !ended.has(state))).toEqual([])
    },
  )
  await fc.assert(property, { seed: 20260117, numRuns: runs(40) })
  expect([...seen].toSorted()).toEqual(['dead', 'delivered', 'silent'])
})
