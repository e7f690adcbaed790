// Kills two receivers and two workers that share a PostgreSQL database.

import { type Counted, countKills } from './killing.ts'
import { KEPT, keptOf } from './kills-in-file.ts'
import { inServer, newDatabase } from './postgres.ts'

/** After how many seconds the others take what a killed one had: much longer than a busy machine keeps one silent. */
const LEASE_S = 5

/** Kills them on a new database so often. `cuts` also cuts all connections now and then, as a restart of it would. */
export async function countPostgresKills(
  seed: number,
  kills: number,
  cuts: boolean,
): Promise<Counted> {
  const { url, name } = await newDatabase()
  const cut = async (): Promise<void> => {
    await inServer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
  }
  return countKills({
    seed,
    kills,
    processes: ['run', 'run', 'work', 'work'],
    settleAfter: 25,
    flags: ['--store', url, '--lease', String(LEASE_S)],
    look: async () => (await inServer(KEPT, name)).map(keptOf),
    ...(cuts && { cut }),
  })
}
