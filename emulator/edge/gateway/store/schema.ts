// The tables of the store, the same in SQLite and PostgreSQL.

import { refused } from '../../../lib/refused.ts'
import type { Query, Sql, SqlValue } from './sql.ts'

/** Runs that have not ended. SQLite uses their index for queries that contain these words. */
export const OPEN = "state IN ('waiting', 'running', 'answered')"

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
  textTable('flowdouble_accepted', isShared),
  textTable('flowdouble_answers', isShared),
  // Unfinished runs are few, and finished ones many.
  `CREATE INDEX IF NOT EXISTS flowdouble_open ON flowdouble_runs (route, seq) WHERE ${OPEN}`,
  `CREATE INDEX IF NOT EXISTS flowdouble_ended ON flowdouble_runs (changed_ms) WHERE NOT (${OPEN})`,
  `CREATE TABLE IF NOT EXISTS flowdouble_ids (
    route TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    first_ms BIGINT NOT NULL,
    lease TEXT,
    PRIMARY KEY (route, delivery_id)
  )${isShared ? '' : ' WITHOUT ROWID'}`,
  'CREATE INDEX IF NOT EXISTS flowdouble_first ON flowdouble_ids (first_ms)',
  `CREATE TABLE IF NOT EXISTS flowdouble_posts (route TEXT NOT NULL, at_ms BIGINT NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS flowdouble_window ON flowdouble_posts (route, at_ms)',
  `CREATE TABLE IF NOT EXISTS flowdouble_owners (name TEXT PRIMARY KEY, seen_ms BIGINT NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS flowdouble_store (version BIGINT NOT NULL)',
]

/** Apart from the rows of runs: a change of a row writes all of it anew. */
const textTable = (name: string, isShared: boolean): string =>
  `CREATE TABLE IF NOT EXISTS ${name} (
    seq ${isShared ? 'BIGINT' : 'INTEGER'} PRIMARY KEY REFERENCES flowdouble_runs (seq) ON DELETE CASCADE,
    text TEXT NOT NULL
  )`

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

export async function hasTables(query: Query): Promise<boolean> {
  const [found] = await query("SELECT to_regclass('flowdouble_store')::text AS name")
  return typeof found?.['name'] === 'string'
}

/** Throws a refusal for the store of a newer version. */
export async function checkVersion(query: Query): Promise<void> {
  const [found] = await query('SELECT version FROM flowdouble_store')
  if (found === undefined)
    await query('INSERT INTO flowdouble_store (version) VALUES ($1)', [VERSION])
  else if (Number(found['version']) > VERSION)
    throw refused(
      `The store has version ${found['version']}, and this flowdouble knows ${VERSION}: install a newer one.`,
    )
}

/** What a run was accepted with, and its answer; null for what is missing. */
export async function textsOf(
  query: Query,
  seq: SqlValue,
): Promise<{ readonly run: unknown; readonly answered: unknown }> {
  const [found] = await query(
    `SELECT accepted.text AS run, answers.text AS answered FROM flowdouble_accepted AS accepted
      LEFT JOIN flowdouble_answers AS answers ON answers.seq = accepted.seq WHERE accepted.seq = $1`,
    [seq],
  )
  const read = (text: SqlValue | undefined): unknown => JSON.parse(String(text ?? null))
  return { run: read(found?.['run']), answered: read(found?.['answered']) }
}
