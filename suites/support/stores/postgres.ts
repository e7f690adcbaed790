// Databases of PostgreSQL for cases: at PGHOST, or on this machine.

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { missing } from '../../judge/skip.ts'

const server = { host: process.env['PGHOST'] ?? '127.0.0.1', port: 5432, user: 'postgres' }

/** Runs a statement on the server; resolves to its rows. */
export async function inServer(sql: string, database = 'postgres'): Promise<readonly any[]> {
  const client = new Client({ ...server, database, connectionTimeoutMillis: 2000 })
  await client.connect()
  try {
    return (await client.query(sql)).rows as readonly any[]
  } finally {
    await client.end()
  }
}

/** Creates a database until the test is over. Skips the case where no server answers. */
export async function newDatabase(): Promise<{ readonly url: string; readonly name: string }> {
  // Unlike any other one: test files run side by side.
  const name = `flowdouble_${randomUUID().replaceAll('-', '')}`
  await inServer(`CREATE DATABASE ${name}`).catch(() => {
    throw missing(`No PostgreSQL answers at ${server.host}:${server.port}.`)
  })
  onTestFinished(async () => void (await inServer(`DROP DATABASE ${name} WITH (FORCE)`)))
  return { url: `postgres://${server.user}@${server.host}:${server.port}/${name}`, name }
}
