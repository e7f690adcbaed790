// Databases whose statements fail as a disk makes them fail: before anything has changed, or when all is written.

/** When a statement is to fail: before it runs, or after that; undefined if it is to succeed. */
export type Fails = (sql: string) => 'before' | 'after' | undefined

type Statement = { all: (...values: readonly any[]) => unknown }
type Database = { prepare: (sql: string) => Statement }

/** The class of databases that the gateway uses. */
async function databaseClass(): Promise<{ readonly prototype: Database }> {
  const name = 'node:sqlite'
  const found = (await import(name).catch(() => undefined)) as
    | { readonly DatabaseSync: { readonly prototype: Database } }
    | undefined
  return found?.DatabaseSync ?? (await import('node-sqlite3-wasm')).default.Database
}

/** Lets statements that are prepared from now on fail; returns what ends that. */
export async function injectFailures(fails: Fails): Promise<() => void> {
  const { prototype } = await databaseClass()
  const { prepare } = prototype
  prototype.prepare = function (this: Database, sql) {
    const statement = prepare.call(this, sql)
    const { all } = statement
    statement.all = (...values) => {
      const when = fails(sql)
      if (when === 'before') throw new Error('disk I/O error')
      const rows = all.apply(statement, [...values])
      if (when === 'after') throw new Error('disk I/O error')
      return rows
    }
    return statement
  }
  return () => {
    prototype.prepare = prepare
  }
}
