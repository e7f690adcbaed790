// PostgreSQL, which any number of gateways and workers share.

import type { Client as PgClient, ClientConfig } from 'pg'
import { refused } from '../../../lib/refused.ts'
import { CANCELS, type News, inTurn, type Query, type Row, type Sql, STORED } from './sql.ts'

/** How long to wait before listening again after the connection is lost, in milliseconds. */
const RECONNECT_MS = 1000
const CONNECT_MS = 5000
/** How long a statement may take, in milliseconds: a database that hangs counts as gone. */
const STATEMENT_MS = 15_000

/** The type of 64-bit integers, which are numbers here. */
const INT8 = 20

/** Opens a database, and connects to it again whenever the connection is lost. Errors contain no part of the URL. */
export async function openPostgres(url: string): Promise<Sql> {
  const { Client, types } = await import('pg').catch(() => {
    throw refused('PostgreSQL needs the npm package pg: npm install pg')
  })
  const config: ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    keepAlive: true,
    application_name: 'flowdouble',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : types.getTypeParser(oid, format),
    },
  }
  const connect = async (lost: (client: PgClient) => void): Promise<PgClient> => {
    const client = new Client(config)
    client.on('error', () => lost(client))
    client.on('end', () => lost(client))
    await client.connect()
    return client
  }
  const turn = inTurn()
  let current: PgClient | undefined
  const connected = async (): Promise<PgClient> =>
    (current ??= await connect((client) => {
      if (current === client) current = undefined
    }))
  const drop = (client: PgClient): void => {
    if (current === client) current = undefined
    client.end().catch(() => undefined)
  }
  return {
    isShared: true,
    transaction: (work) =>
      turn(async () => {
        const client = await connected()
        const query: Query = async (sql, values = []) =>
          (await client.query<Row>(sql, [...values])).rows
        try {
          await query('BEGIN')
          const result = await work(query)
          await query('COMMIT')
          return result
        } catch (error) {
          await query('ROLLBACK').catch(() => drop(client))
          throw error
        }
      }),
    listen: (news) => listenWith(connect, news),
    isFull: () => Promise.resolve(false),
    close: () =>
      turn(async () => {
        await current?.end()
        current = undefined
      }),
  }
}

/** Listens on a separate connection, and connects again until it is ended. */
function listenWith(
  connect: (lost: (client: PgClient) => void) => Promise<PgClient>,
  news: News,
): () => void {
  let isOver = false
  let client: PgClient | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const retry = (): void => {
    client = undefined
    if (!isOver && timer === undefined)
      timer = setTimeout(() => {
        timer = undefined
        void start()
      }, RECONNECT_MS)
  }
  const start = async (): Promise<void> => {
    try {
      const one = await connect(retry)
      if (isOver) {
        await one.end()
        return
      }
      client = one
      one.on('notification', ({ channel, payload = '' }) =>
        channel === CANCELS ? news.cancelled(payload) : news.stored(payload),
      )
      await one.query(`LISTEN ${STORED}; LISTEN ${CANCELS}`)
    } catch {
      retry()
    }
  }
  void start()
  return () => {
    isOver = true
    clearTimeout(timer)
    client?.end().catch(() => undefined)
  }
}
