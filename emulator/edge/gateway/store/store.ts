// The store of a gateway: writes the facts of accepted posts, hands their runs over, and lists what became of them.

import { limits } from '../../../../spec/limits.ts'
import type {
  Backlog,
  Fact,
  StoredAnswer,
  StoredRun,
  StoreOutcome,
} from '../../../gateway/state/facts.ts'
import { createTables, OPEN, textsOf } from './schema.ts'
import { type Query, type Row, type Sql, STORED, type StoreOptions } from './sql.ts'
import { writeFact } from './write.ts'

/** Facts that are kept together, or not at all. */
export type Facts = readonly Fact[]

export type Store = {
  readonly isShared: boolean
  /** Writes these in one transaction; resolves to the outcome of each. Rejects if nothing is kept. */
  readonly write: (all: readonly Facts[], nowMs: number) => Promise<readonly StoreOutcome[]>
  /** Takes runs that no living gateway has: up to so many that wait for an agent, and so many answers to deliver. */
  readonly claim: (runs: number, answers: number) => Promise<readonly StoredRun[]>
  readonly backlog: () => Promise<readonly Backlog[]>
  /** Lets go of runs, which another gateway, or the next one, then takes: of all that this one has, by default. */
  readonly release: (keys?: readonly string[]) => Promise<number>
  /** The keys of the runs of this gateway that have not ended. */
  readonly owned: () => Promise<readonly string[]>
  /** Notes the process of an agent, which ends with its gateway. */
  readonly noteAgent: (key: string, agent: string) => Promise<void>
  /** The agents of runs that no living gateway has. */
  readonly agentsLeft: () => Promise<readonly string[]>
  /** Reports that this gateway lives; frees the runs of those that do not, if it may say so, and resolves to their number. */
  readonly live: (nowMs: number, frees: boolean) => Promise<number>
  /** Deletes what is older than it needs to be; of a store that is full, the oldest runs that have ended too. */
  readonly prune: (nowMs: number) => Promise<void>
  readonly listen: Sql['listen']
  readonly transaction: Sql['transaction']
  readonly close: () => Promise<void>
}

/** Creates the store in a database, and its tables if they are missing. */
export async function createStore(sql: Sql, options: StoreOptions): Promise<Store> {
  const { owner } = options
  await createTables(sql)
  const { transaction, isShared } = sql
  /** Routes in the order of their turns: those that have waited longest come first. */
  const turns = new Set<string>()
  return {
    isShared,
    transaction,
    listen: ({ stored, cancelled }) =>
      sql.listen({
        stored: (route) => {
          turns.add(route)
          stored(route)
        },
        cancelled,
      }),
    close: sql.close,
    write: (all, nowMs) =>
      transaction(async (query) => {
        const atMs = await begin(query, sql, all, nowMs)
        const outcomes: StoreOutcome[] = []
        const isFull = await sql.isFull(query)
        for (const facts of all)
          outcomes.push(
            isFull && facts.some(({ kind }) => kind === 'accepted')
              ? 'failed'
              : await writeAll(query, facts, options, atMs),
          )
        if (isShared)
          for (const route of routesFor(all))
            await query('SELECT pg_notify($1, $2)', [STORED, route])
        return outcomes
      }),
    claim: (runs, answers) =>
      transaction(async (query) => {
        const taken: Row[] = []
        taken.push(...(await query(`${ANSWERS}${lock(sql)}`, [answers])))
        if (turns.size === 0) for (const { route } of await backlogOf(query)) turns.add(route)
        for (let left = runs; left > 0 && turns.size > 0;) {
          const [route = ''] = turns
          turns.delete(route)
          const [next] = await query(`${nextOf}${lock(sql)}`, [route])
          if (next === undefined) continue
          turns.add(route)
          taken.push(next)
          left--
          await query(TAKE, [owner, Number(next['seq'])])
        }
        for (const { seq, state } of taken)
          if (state === 'answered') await query(TAKE, [owner, Number(seq)])
        const claimed: StoredRun[] = []
        for (const row of taken) claimed.push(await runOf(query, row))
        return claimed
      }),
    backlog: () => transaction(backlogOf),
    release: (keys) =>
      transaction(async (query) => {
        if (keys !== undefined) {
          let count = 0
          for (const key of keys)
            count += (await query(`${LET_GO} AND key = $2 RETURNING seq`, [owner, key])).length
          return count
        }
        return (await query(`${LET_GO} RETURNING seq`, [owner])).length
      }),
    owned: () =>
      transaction(async (query) => {
        const rows = await query(`SELECT key FROM flowdouble_runs WHERE ${OPEN} AND owner = $1`, [
          owner,
        ])
        return rows.map(({ key }) => String(key))
      }),
    noteAgent: async (key, agent) => {
      await transaction((query) =>
        query('UPDATE flowdouble_runs SET agent = $1 WHERE key = $2', [agent, key]),
      )
    },
    agentsLeft: () =>
      transaction(async (query) => {
        const rows = await query(
          `SELECT agent FROM flowdouble_runs WHERE owner IS NULL AND ${OPEN} AND agent IS NOT NULL`,
        )
        return rows.map(({ agent }) => String(agent))
      }),
    live: (nowMs, frees) =>
      transaction(async (query) => {
        const atMs = await beat(query, sql, owner, nowMs)
        return frees ? await freeOrphans(query, sql, options, atMs) : 0
      }),
    prune: (nowMs) =>
      transaction(async (query) => {
        await prune(query, options, nowMs)
        if (!(await sql.isFull(query))) return
        await query(DROP_OLDEST)
      }),
  }
}

const COLUMNS = 'seq, key, state, progress'

/** Without the plus sign SQLite reads all runs, which are in that order. */
const ANSWERS = `SELECT ${COLUMNS} FROM flowdouble_runs
  WHERE ${OPEN} AND owner IS NULL AND state = 'answered' ORDER BY +seq LIMIT $1`

const TAKE = 'UPDATE flowdouble_runs SET owner = $1 WHERE seq = $2'

const LET_GO = `UPDATE flowdouble_runs SET owner = NULL,
  state = CASE state WHEN 'running' THEN 'waiting' ELSE state END WHERE ${OPEN} AND owner = $1`

/** The oldest run of a route that waits; of one in order, only if none before it is under way. */
const nextOf = `SELECT ${COLUMNS} FROM flowdouble_runs AS one
  WHERE ${OPEN} AND route = $1 AND state = 'waiting' AND owner IS NULL AND (in_order = 0 OR NOT EXISTS (
    SELECT 1 FROM flowdouble_runs AS other
    WHERE other.route = $1 AND other.seq < one.seq AND other.${OPEN}))
  ORDER BY seq LIMIT 1`

/** Rows that another process is taking are left to it. */
const lock = ({ isShared }: Sql): string => (isShared ? ' FOR UPDATE SKIP LOCKED' : '')

async function runOf(query: Query, { seq, progress }: Row): Promise<StoredRun> {
  const texts = await textsOf(query, seq ?? null)
  const answered = texts.answered as StoredAnswer | null
  return {
    ...(texts.run as StoredRun),
    answered:
      answered === null || progress === null || progress === undefined
        ? null
        : { ...answered, progress: JSON.parse(String(progress)) as StoredAnswer['progress'] },
  }
}

async function backlogOf(query: Query): Promise<readonly Backlog[]> {
  const rows =
    await query(`SELECT route, COUNT(*) AS count, SUM(bytes) AS bytes FROM flowdouble_runs
    WHERE ${OPEN} AND state = 'waiting' AND owner IS NULL GROUP BY route ORDER BY MIN(seq)`)
  return rows.map(({ route, count, bytes }) => ({
    route: String(route),
    count: Number(count),
    bytes: Number(bytes),
  }))
}

/**
 * What precedes the writes of a shared store: the time of the database, which is the same for all, and a lock on each
 * route, in one order everywhere, so that no two processes wait for each other.
 */
async function begin(
  query: Query,
  { isShared }: Sql,
  all: readonly Facts[],
  nowMs: number,
): Promise<number> {
  if (!isShared) return nowMs
  const routes = new Set(
    all.flat().flatMap((fact) => (fact.kind === 'counted' || fact.kind === 'id' ? fact.route : [])),
  )
  for (const route of [...routes].toSorted())
    await query('SELECT pg_advisory_xact_lock(1, hashtext($1))', [route])
  return databaseTime(query)
}

async function databaseTime(query: Query): Promise<number> {
  const [row] = await query(
    'SELECT (extract(epoch from clock_timestamp()) * 1000)::bigint AS now_ms',
  )
  return Number(row?.['now_ms'])
}

/** Writes facts that belong together. The first that is not new ends them. */
async function writeAll(
  query: Query,
  facts: Facts,
  options: StoreOptions,
  nowMs: number,
): Promise<StoreOutcome> {
  for (const fact of facts) {
    const outcome = await writeFact(query, fact, options, nowMs)
    if (outcome !== 'done') return outcome
  }
  return 'done'
}

/** The routes of runs that any gateway may take. */
const routesFor = (all: readonly Facts[]): ReadonlySet<string> =>
  new Set(
    all.flat().flatMap((fact) => (fact.kind === 'accepted' && !fact.isKept ? fact.run.route : [])),
  )

/** Reports that this gateway lives; resolves to the time of the database. */
async function beat(query: Query, sql: Sql, owner: string, nowMs: number): Promise<number> {
  const atMs = sql.isShared ? await databaseTime(query) : nowMs
  await query(
    `INSERT INTO flowdouble_owners (name, seen_ms) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET seen_ms = excluded.seen_ms`,
    [owner, atMs],
  )
  return atMs
}

/**
 * Frees what belongs to gateways that are dead: where one process owns the store, all others are. Resolves to the number of
 * their runs.
 */
async function freeOrphans(
  query: Query,
  sql: Sql,
  { owner, leaseMs }: StoreOptions,
  atMs: number,
): Promise<number> {
  const alive = sql.isShared ? 'SELECT name FROM flowdouble_owners WHERE seen_ms >= $1' : '$1'
  const since = sql.isShared ? atMs - leaseMs : owner
  const freed = await query(
    `UPDATE flowdouble_runs SET owner = NULL, state = CASE state WHEN 'running' THEN 'waiting' ELSE state END
      WHERE ${OPEN} AND owner NOT IN (${alive}) RETURNING seq`,
    [since],
  )
  await query(`DELETE FROM flowdouble_ids WHERE lease NOT IN (${alive})`, [since])
  await query(`DELETE FROM flowdouble_owners WHERE name NOT IN (${alive})`, [since])
  return freed.length
}

const DROP_OLDEST = `DELETE FROM flowdouble_runs WHERE seq IN (
  SELECT seq FROM flowdouble_runs WHERE NOT (${OPEN}) ORDER BY changed_ms LIMIT 1000)`

async function prune(query: Query, { keepMs }: StoreOptions, nowMs: number): Promise<void> {
  await query(`DELETE FROM flowdouble_runs WHERE NOT (${OPEN}) AND changed_ms < $1`, [
    nowMs - keepMs,
  ])
  await query('DELETE FROM flowdouble_ids WHERE first_ms < $1', [
    nowMs - limits.deliveryIdLifetime.value * 1000,
  ])
  await query('DELETE FROM flowdouble_posts WHERE at_ms < $1', [
    nowMs - limits.webhookRateWindow.value * 1000,
  ])
}
