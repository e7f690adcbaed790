// Stored runs for operators: lists and shows them, and retries, cancels or drops one.

import { finalStates } from '../../../../spec/gateway/store.ts'
import type { StoredAnswer, StoredRun } from '../../../gateway/state/facts.ts'
import { refused } from '../../../lib/refused.ts'
import { OPEN, textsOf } from './schema.ts'
import { CANCELS, type Query, type Row, type SqlValue, STORED } from './sql.ts'
import type { Store } from './store.ts'

/** A stored run in a list. Times are milliseconds since 1970. */
export type RunRow = {
  readonly key: string
  readonly seq: number
  readonly route: string
  readonly delivery_id: string
  readonly state: string
  readonly target: string
  /** How many times an agent has begun it. */
  readonly begun: number
  /** The number of the last or next delivery attempt; null before the answer. */
  readonly attempt: number | null
  readonly accepted_ms: number
  readonly changed_ms: number
  readonly error: string | null
}

/** What an operator asks of a store. */
export type RunsRequest =
  | {
      readonly do: 'list'
      readonly state?: string | undefined
      readonly route?: string | undefined
      readonly limit: number
      /** Only those that have changed since, in milliseconds since 1970. */
      readonly changedMs?: number | undefined
    }
  | { readonly do: 'show' | 'retry' | 'cancel' | 'drop'; readonly id: string }

/** A run with its texts. */
export type RunDetail = RunRow & Readonly<Record<string, unknown>>

/** Answers requests for the runs of a store. */
export type AskRuns = (request: RunsRequest) => Promise<readonly RunRow[] | RunDetail>

/** What a gateway does about a change of its store. */
export type OnChange = { readonly claim: () => void; readonly cancel: (key: string) => void }

/** Answers a request: with rows, or with the run as it is afterwards. Throws a refusal that says what to do instead. */
export async function answerRuns(
  store: Pick<Store, 'transaction' | 'isShared'>,
  request: RunsRequest,
  { claim, cancel }: OnChange,
): Promise<readonly RunRow[] | RunDetail> {
  if (request.do === 'list') return store.transaction((query) => list(query, request))
  const { id } = request
  const { run, changed } = await store.transaction(async (query) => {
    const before = await find(query, id)
    const key = before.key
    if (request.do === 'show') return { run: await detail(query, before), changed: null }
    const isOpen = !finalStates.some((state) => state === before.state)
    if (request.do === 'cancel') {
      if (!isOpen) throw refused(`The run ${id} has ended: it is ${before.state}.`)
      await set(query, key, "state = 'cancelled', owner = NULL, agent = NULL", [])
      if (store.isShared) await query('SELECT pg_notify($1, $2)', [CANCELS, key])
      return { run: await detail(query, await find(query, key)), changed: 'cancelled' }
    }
    if (isOpen)
      throw refused(`The run ${id} has not ended: it is ${before.state}. Cancel it first.`)
    const run = await detail(query, before)
    if (request.do === 'drop') {
      await query('DELETE FROM flowdouble_runs WHERE key = $1', [key])
      return { run, changed: null }
    }
    await retry(query, run)
    if (store.isShared) await query('SELECT pg_notify($1, $2)', [STORED, before.route])
    return { run: await detail(query, await find(query, key)), changed: 'retried' }
  })
  if (changed === 'cancelled') cancel(run.key)
  else if (changed === 'retried') claim()
  return run
}

/** An answer is delivered again, from the first part that has not arrived; without a usable one the agent runs again. */
async function retry(query: Query, run: RunDetail): Promise<void> {
  const { key, seq } = run
  const { agent_error, progress } = run as { agent_error?: unknown; progress?: unknown }
  const hasAnswer = typeof progress === 'object' && progress !== null && agent_error === null
  if (hasAnswer) {
    const again = { ...progress, attempt: 1, isPlain: false, nextMs: 0 }
    await set(query, key, "state = 'answered', error = NULL, progress = $3", [
      JSON.stringify(again),
    ])
    return
  }
  await query('DELETE FROM flowdouble_answers WHERE seq = $1', [seq])
  await set(query, key, "state = 'waiting', error = NULL, progress = NULL", [])
}

const set = (
  query: Query,
  key: string,
  what: string,
  values: readonly SqlValue[],
): Promise<unknown> =>
  query(`UPDATE flowdouble_runs SET changed_ms = $2, ${what} WHERE key = $1`, [
    key,
    Date.now(),
    ...values,
  ])

const COLUMNS =
  'key, seq, route, delivery_id, state, target, begun, progress, accepted_ms, changed_ms, error'

/** Each half has an index: there can be a million runs. */
const CHANGED = `changed_ms > $4 AND seq IN (
  SELECT seq FROM flowdouble_runs WHERE ${OPEN} UNION ALL
  SELECT seq FROM flowdouble_runs WHERE NOT (${OPEN}) AND changed_ms > $4)`

async function list(
  query: Query,
  { state = '', route = '', limit, changedMs }: Extract<RunsRequest, { do: 'list' }>,
): Promise<readonly RunRow[]> {
  const isSince = changedMs !== undefined
  const rows = await query(
    `SELECT ${COLUMNS} FROM flowdouble_runs
      WHERE (state = $1 OR $1 = '') AND (route = $2 OR $2 = '') ${isSince ? `AND ${CHANGED}` : ''}
      ORDER BY seq DESC LIMIT $3`,
    [state, route, limit, ...(isSince ? [changedMs] : [])],
  )
  return rows.map(rowOf).toReversed()
}

/** The run of a key, or the latest one of a delivery id. */
async function find(query: Query, id: string): Promise<RunRow> {
  const [row] = await query(
    `SELECT ${COLUMNS} FROM flowdouble_runs WHERE key = $1 OR delivery_id = $2 ORDER BY seq DESC LIMIT 1`,
    [id, JSON.stringify(id)],
  )
  if (row === undefined)
    throw Object.assign(
      refused(`The store has no run ${id}. See: flowdouble gateway runs list`),
      unknownRun,
    )
  return rowOf(row)
}

const unknownRun = { isUnknownRun: true }

/** Whether a request is refused because the store does not have the run. */
export const isUnknownRun = (error: Error): boolean => 'isUnknownRun' in error

function rowOf(row: Row): RunRow {
  const progress = read(row['progress']) as { readonly attempt: number } | null
  return {
    key: String(row['key']),
    seq: Number(row['seq']),
    route: String(row['route']),
    delivery_id: String(read(row['delivery_id'])),
    state: String(row['state']),
    target: String(row['target']),
    begun: Number(row['begun']),
    attempt: progress?.attempt ?? null,
    accepted_ms: Number(row['accepted_ms']),
    changed_ms: Number(row['changed_ms']),
    error: read(row['error']) as string | null,
  }
}

async function detail(query: Query, row: RunRow): Promise<RunDetail> {
  const texts = await textsOf(query, row.seq)
  const { event, prompt, skills, payload, place } = (texts.run ?? {}) as Partial<StoredRun>
  const {
    answer = null,
    error = null,
    text = null,
  } = (texts.answered ?? {}) as Partial<StoredAnswer>
  const [found] = await query('SELECT progress FROM flowdouble_runs WHERE seq = $1', [row.seq])
  const progress = read(found?.['progress'])
  const run = { event, prompt, skills, payload, place }
  return { ...row, ...run, answer, agent_error: error, text, progress }
}

const read = (text: SqlValue | undefined): unknown =>
  typeof text === 'string' ? JSON.parse(text) : null
