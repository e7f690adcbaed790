// How the store writes each fact.

import { limits } from '../../../../spec/limits.ts'
import { runBytes } from '../../../gateway/state/waiting.ts'
import type { Fact, StoreOutcome } from '../../../gateway/state/facts.ts'
import type { Query, SqlValue, StoreOptions } from './sql.ts'

type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>

/** Writes one fact at a time in milliseconds since 1970. */
export async function writeFact(
  query: Query,
  fact: Fact,
  { owner }: StoreOptions,
  nowMs: number,
): Promise<StoreOutcome> {
  const changed = async (key: string, what: string, ...values: SqlValue[]): Promise<StoreOutcome> =>
    (await change(query, key, owner, nowMs, what, values)) === undefined ? 'lost' : 'done'
  switch (fact.kind) {
    case 'counted':
      return count(query, fact, nowMs)
    case 'id':
      return addId(query, fact, owner, nowMs)
    case 'accepted':
      return accept(query, fact, owner, nowMs)
    case 'begun':
      return changed(fact.key, BEGUN)
    case 'answered':
      return answer(query, fact, owner, nowMs)
    case 'attempt':
      return changed(fact.key, ATTEMPT, JSON.stringify(fact.progress), JSON.stringify(fact.error))
    case 'ended':
      return changed(
        fact.key,
        ENDED,
        fact.state,
        fact.error === null ? null : JSON.stringify(fact.error),
      )
    case 'confirmed':
      // Others may have freed the lease of a gateway that was silent for too long.
      await query(
        `INSERT INTO flowdouble_ids (route, delivery_id, first_ms, lease) VALUES ($1, $2, $3, NULL)
          ON CONFLICT (route, delivery_id) DO UPDATE SET lease = NULL`,
        [fact.route, idText(fact.delivery_id), nowMs],
      )
      return 'done'
    case 'forgotten':
      // After a failure the retry of the sender may have gone to another gateway: its id stays.
      await query(
        'DELETE FROM flowdouble_ids WHERE route = $1 AND delivery_id = $2 AND lease = $3',
        [fact.route, idText(fact.delivery_id), owner],
      )
      return 'done'
  }
}

/** PostgreSQL stores no NUL in a text. */
const idText = (id: string): string => JSON.stringify(id)

const windowMs = limits.webhookRateWindow.value * 1000

async function count(
  query: Query,
  { route, limit }: FactOf<'counted'>,
  nowMs: number,
): Promise<StoreOutcome> {
  const [row] = await query(
    'SELECT COUNT(*) AS count FROM flowdouble_posts WHERE route = $1 AND at_ms >= $2',
    [route, nowMs - windowMs],
  )
  if (Number(row?.['count']) >= limit) return 'limited'
  await query('INSERT INTO flowdouble_posts (route, at_ms) VALUES ($1, $2)', [route, nowMs])
  return 'done'
}

async function addId(
  query: Query,
  { route, delivery_id, isLease }: FactOf<'id'>,
  owner: string,
  nowMs: number,
): Promise<StoreOutcome> {
  const id = idText(delivery_id)
  const added = await query(
    `INSERT INTO flowdouble_ids (route, delivery_id, first_ms, lease) VALUES ($1, $2, $3, $4)
      ON CONFLICT (route, delivery_id) DO UPDATE SET first_ms = excluded.first_ms, lease = excluded.lease
      WHERE flowdouble_ids.first_ms <= $5 RETURNING route`,
    [route, id, nowMs, isLease ? owner : null, nowMs - limits.deliveryIdLifetime.value * 1000],
  )
  if (added.length > 0) return 'done'
  const [known] = await query(
    'SELECT lease FROM flowdouble_ids WHERE route = $1 AND delivery_id = $2',
    [route, id],
  )
  return typeof known?.['lease'] === 'string' ? 'leased' : 'duplicate'
}

async function accept(
  query: Query,
  { run, isKept }: FactOf<'accepted'>,
  owner: string,
  nowMs: number,
): Promise<StoreOutcome> {
  const { key, route, delivery_id, isInOrder, acceptedMs } = run
  const [added] = await query(
    `INSERT INTO flowdouble_runs (key, route, delivery_id, state, owner, in_order, bytes, accepted_ms, changed_ms,
      begun, target) VALUES ($1, $2, $3, 'waiting', $4, $5, $6, $7, $8, 0, $9) RETURNING seq`,
    [
      key,
      route,
      idText(delivery_id),
      isKept ? owner : null,
      isInOrder ? 1 : 0,
      runBytes(run),
      acceptedMs,
      nowMs,
      run.place.target,
    ],
  )
  await query('INSERT INTO flowdouble_accepted (seq, text) VALUES ($1, $2)', [
    added?.['seq'] ?? null,
    JSON.stringify(run),
  ])
  return 'done'
}

const BEGUN = "state = CASE state WHEN 'waiting' THEN 'running' ELSE state END, begun = begun + 1"
const ANSWERED = "state = 'answered', progress = $4, agent = NULL"
const ATTEMPT = 'progress = $4, error = $5'
const ENDED = 'state = $4, error = $5, owner = NULL, agent = NULL'

/** Changes a run of this gateway, whose number it returns; undefined if it is another's by now. */
async function change(
  query: Query,
  key: string,
  owner: string,
  nowMs: number,
  what: string,
  values: readonly SqlValue[],
): Promise<SqlValue | undefined> {
  const [changed] = await query(
    `UPDATE flowdouble_runs SET changed_ms = $3, ${what} WHERE key = $1 AND owner = $2 RETURNING seq`,
    [key, owner, nowMs, ...values],
  )
  return changed?.['seq']
}

/** Adds the answer of a run; the first one stays. */
async function answer(
  query: Query,
  { key, answered: { progress, ...answered } }: FactOf<'answered'>,
  owner: string,
  nowMs: number,
): Promise<StoreOutcome> {
  const seq = await change(query, key, owner, nowMs, ANSWERED, [JSON.stringify(progress)])
  if (seq === undefined) return 'lost'
  await query(
    'INSERT INTO flowdouble_answers (seq, text) VALUES ($1, $2) ON CONFLICT (seq) DO NOTHING',
    [seq, JSON.stringify(answered)],
  )
  return 'done'
}
