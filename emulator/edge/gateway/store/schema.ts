// The tables of the store, the same in SQLite and PostgreSQL.

import { refused } from '../../../lib/refused.ts'
import type { Query, Sql } from './sql.ts'

/** The version of the tables. A newer one belongs to a newer flowdouble. */
const VERSION = 1

const statements = (isShared: boolean): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS flowdouble_runs (
    seq ${isShared ? 'BIGINT GENERATED ALWAYS AS IDENTITY' : 'INTEGER'} PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    route TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT,
    in_order BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    accepted_ms BIGINT NOT NULL,
    changed_ms BIGINT NOT NULL,
    begun BIGINT NOT NULL,
    target TEXT NOT NULL,
    progress TEXT,
    error TEXT,
    agent TEXT
  )`,
  // Apart from the rows that change: a change of a row writes all of it anew.
  `CREATE TABLE IF NOT EXISTS flowdouble_texts (
    key TEXT NOT NULL REFERENCES flowdouble_runs (key) ON DELETE CASCADE,
    part TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (key, part)
  )`,
  // Unfinished runs are few, and finished ones many.
  `CREATE INDEX IF NOT EXISTS flowdouble_open ON flowdouble_runs (route, seq)
    WHERE state IN ('waiting', 'running', 'answered')`,
  'CREATE INDEX IF NOT EXISTS flowdouble_changed ON flowdouble_runs (changed_ms)',
  `CREATE TABLE IF NOT EXISTS flowdouble_ids (
    route TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    first_ms BIGINT NOT NULL,
    lease TEXT,
    PRIMARY KEY (route, delivery_id)
  )`,
  'CREATE INDEX IF NOT EXISTS flowdouble_first ON flowdouble_ids (first_ms)',
  `CREATE TABLE IF NOT EXISTS flowdouble_posts (route TEXT NOT NULL, at_ms BIGINT NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS flowdouble_window ON flowdouble_posts (route, at_ms)',
  `CREATE TABLE IF NOT EXISTS flowdouble_owners (name TEXT PRIMARY KEY, seen_ms BIGINT NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS flowdouble_store (version BIGINT NOT NULL)',
]

/** Creates what is missing. Throws a refusal for the store of a newer version. */
export const createTables = (sql: Sql): Promise<void> =>
  sql.transaction(async (query) => {
    // Several processes may start at the same time.
    if (sql.isShared) await query("SELECT pg_advisory_xact_lock(hashtext('flowdouble'))")
    // To create an index, even one that exists, waits for all that write, and they can wait for this process.
    if (!(sql.isShared && (await hasTables(query))))
      for (const statement of statements(sql.isShared)) await query(statement)
    await checkVersion(query)
  })

async function hasTables(query: Query): Promise<boolean> {
  const [found] = await query("SELECT to_regclass('flowdouble_store')::text AS name")
  return typeof found?.['name'] === 'string'
}

async function checkVersion(query: Query): Promise<void> {
  const [found] = await query('SELECT version FROM flowdouble_store')
  if (found === undefined)
    await query('INSERT INTO flowdouble_store (version) VALUES ($1)', [VERSION])
  else if (Number(found['version']) > VERSION)
    throw refused(
      `The store has version ${found['version']}, and this flowdouble knows ${VERSION}: install a newer one.`,
    )
}
