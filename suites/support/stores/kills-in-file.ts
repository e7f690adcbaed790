// Kills gateways on a store in a file.

import { join } from 'node:path'
import { inDatabase } from './database.ts'
import { afterKill } from './gateways.ts'
import { type Counted, countKills, type Kept } from './killing.ts'

/** The rules that such a run proves. */
export const promises = [
  'store/stored-first',
  'store/run-at-least-once',
  'store/delivered-once',
  'store/same-key',
  'store/ids-survive',
] as const

/** What holds however often gateways are killed. */
export const nothingLost = {
  lost: [],
  confirmedRepeats: [],
  needlessRepeats: [],
  forgotten: [],
  surprises: [],
} as const

/** What is kept of runs and of direct deliveries. */
export const KEPT = `SELECT route, delivery_id, state FROM flowdouble_runs
  UNION ALL SELECT route, delivery_id, 'delivered' FROM flowdouble_ids WHERE route = 'direct' AND lease IS NULL`

/** One of these rows. */
export const keptOf = (row: Readonly<Record<string, unknown>>): Kept => ({
  route: String(row['route']),
  id: JSON.parse(String(row['delivery_id'])) as string,
  state: String(row['state']),
})

/** Kills the gateway on a new store so often. */
export const countFileKills = (seed: number, kills: number): Promise<Counted> =>
  countKills({
    seed,
    kills,
    processes: ['run'],
    settleAfter: 100,
    flags: [],
    // Another one looks into a copy: what a kill leaves is for the next gateway to mend.
    look: async (dir) =>
      (await inDatabase(afterKill(join(dir, 'gateway.sqlite')), KEPT)).map(keptOf),
  })
