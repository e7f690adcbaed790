// Looks into the database of a store, as somebody with a SQLite shell would.

/** Runs a statement in a database that no gateway uses; resolves to its rows. */
export async function inDatabase(
  path: string,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  const database = new sqlite.Database(path)
  try {
    // Without shared memory the log of changes is only for one process.
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    return database.all(sql)
  } finally {
    database.close()
  }
}
