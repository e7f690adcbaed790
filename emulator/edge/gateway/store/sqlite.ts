// SQLite in one file of one process: by Node where it has it, else by a build of it for WebAssembly.

import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { refused } from '../../../lib/refused.ts'
import { inTurn, type Query, type Row, type Sql, type SqlValue } from './sql.ts'

/** A database with prepared statements. */
type Database = {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => Statement
  readonly close: () => void
}

type Statement = {
  readonly all: (values: readonly SqlValue[]) => readonly Row[]
  readonly finalize: () => void
}

const PAGE_BYTES = 4096
/** What new runs leave to the others of the file: for their answers and their ends. */
const RESERVE = { part: 0.1, bytes: 4 * 2 ** 20 }

/**
 * Opens the database in a file, which it creates with mode 0600. The caller makes sure that no other process uses it.
 * @param maxBytes the size beyond which nothing is added.
 */
export async function openSqlite(path: string, maxBytes: number): Promise<Sql> {
  // Owner-only from the first moment on.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const database = await openDatabase(path)
  const maxPages = Math.ceil(maxBytes / PAGE_BYTES)
  const reservedPages = Math.max(maxPages * RESERVE.part, RESERVE.bytes / PAGE_BYTES)
  // One process owns the file, so that no shared memory is needed; each commit is on the disk before it returns.
  database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA max_page_count = ${maxPages}`)
  const statements = new Map<string, Statement>()
  const run = (sql: string, values: readonly SqlValue[]): readonly Row[] => {
    let statement = statements.get(sql)
    if (statement === undefined)
      statements.set(sql, (statement = database.prepare(sql.replaceAll(/\$(\d)/g, '?$1'))))
    try {
      return statement.all(values)
    } catch (error) {
      // One that failed cannot always be used again.
      statements.delete(sql)
      statement.finalize()
      throw error
    }
  }
  const query: Query = (sql, values = []) => {
    try {
      return Promise.resolve(run(sql, values))
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const turn = inTurn()
  return {
    isShared: false,
    transaction: (work) =>
      turn(async () => {
        try {
          run('BEGIN IMMEDIATE', [])
          const result = await work(query)
          run('COMMIT', [])
          return result
        } catch (error) {
          quietly(() => run('ROLLBACK', []))
          throw error
        }
      }),
    listen: () => () => undefined,
    isFull: async (all) => {
      const [[pages], [free]] = await Promise.all([
        all('PRAGMA page_count'),
        all('PRAGMA freelist_count'),
      ])
      const used = Number(pages?.['page_count']) - Number(free?.['freelist_count'])
      return used > maxPages - reservedPages
    },
    close: () =>
      turn(async () => {
        for (const statement of statements.values()) statement.finalize()
        await Promise.resolve(database.close())
      }),
  }
}

/** The bytes that a file uses, by its head: another process can have the file for itself. Throws for other files. */
export async function usedBytes(path: string): Promise<number> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(40)
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    if (bytesRead === 0) return 0
    if (!head.toString('latin1').startsWith('SQLite format 3\0')) throw new Error('other file')
    const [pages, free] = [head.readUInt32BE(28), head.readUInt32BE(36)]
    return (pages - free) * PAGE_BYTES
  } finally {
    await file.close()
  }
}

/** Ends a transaction or a statement that may be over: a full disk ends them by itself. */
function quietly(end: () => void): void {
  try {
    end()
  } catch {
    // It is over.
  }
}

const openDatabase = async (path: string): Promise<Database> =>
  (await openByNode(path)) ?? (await openByWasm(path))

/** Undefined on a Node without SQLite. */
async function openByNode(path: string): Promise<Database | undefined> {
  const sqlite = await importQuietly()
  if (sqlite === undefined) return undefined
  const database = new sqlite.DatabaseSync(path)
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return { all: (values) => statement.all(...values) as Row[], finalize: () => undefined }
    },
    close: () => database.close(),
  }
}

type NodeSqlite = {
  readonly DatabaseSync: new (path: string) => {
    exec: (sql: string) => void
    prepare: (sql: string) => { all: (...values: readonly SqlValue[]) => unknown[] }
    close: () => void
  }
}

/** Some versions of Node warn that their SQLite is experimental, which concerns no user of the gateway. */
async function importQuietly(): Promise<NodeSqlite | undefined> {
  const warn = process.emitWarning.bind(process)
  process.emitWarning = () => undefined
  try {
    const name = 'node:sqlite'
    return (await import(name)) as NodeSqlite
  } catch {
    return undefined
  } finally {
    process.emitWarning = warn
  }
}

async function openByWasm(path: string): Promise<Database> {
  const { default: sqlite } = await import('node-sqlite3-wasm').catch(() => {
    throw refused(
      'This Node has no SQLite: use Node 22.13 or newer, install the npm package node-sqlite3-wasm, or pass --no-store.',
    )
  })
  // A process that was killed leaves this lock behind.
  rmSync(`${path}.lock`, { recursive: true, force: true })
  const database = new sqlite.Database(path)
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return {
        all: (values) => statement.all([...values]) as Row[],
        finalize: () => quietly(() => statement.finalize()),
      }
    },
    close: () => database.close(),
  }
}
