// What the doctor asks a PostgreSQL database: whether a gateway can keep its runs there. It changes nothing.

import { openPostgres } from './postgres.ts'
import { checkVersion, hasTables } from './schema.ts'

export type SharedFacts = {
  /** That of the server, such as 15.4. */
  readonly version: string
  readonly hasTables: boolean
  /** Whether this user can write to the tables, or create them if they are missing. */
  readonly isAllowed: boolean
  /** How many gateways and workers use it now. */
  readonly living: number
}

const USES = `SELECT bool_and(has_table_privilege(one.oid, use))::int AS ok
  FROM pg_class AS one, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS use
  WHERE one.relkind = 'r' AND one.relname LIKE 'flowdouble\\_%' AND one.relnamespace =
    (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('flowdouble_store'))`

const CREATES = "SELECT has_schema_privilege(current_schema(), 'CREATE')::int AS ok"

const LIVING = `SELECT count(*) AS living FROM flowdouble_owners
  WHERE seen_ms >= extract(epoch from clock_timestamp()) * 1000 - $1`

/** Rejects if it cannot be reached, and with a refusal for the store of a newer version. */
export async function examineShared(url: string, leaseMs: number): Promise<SharedFacts> {
  const sql = await openPostgres(url)
  try {
    return await sql.transaction(async (query) => {
      const has = await hasTables(query)
      const [[server], [allowed]] = [
        await query("SELECT split_part(current_setting('server_version'), ' ', 1) AS version"),
        await query(has ? USES : CREATES),
      ]
      const isAllowed = allowed?.['ok'] === 1
      const isReadable = has && isAllowed
      if (isReadable) await checkVersion(query)
      const [found] = isReadable ? await query(LIVING, [leaseMs]) : []
      return {
        version: String(server?.['version']),
        hasTables: has,
        isAllowed,
        living: Number(found?.['living'] ?? 0),
      }
    })
  } finally {
    await sql.close()
  }
}
