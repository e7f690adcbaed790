// What the store needs of a database: statements and transactions. SQLite and PostgreSQL provide it.

/** The channels of a shared database on which gateways learn of stored and of cancelled runs. */
export const STORED = 'flowdouble_runs'
export const CANCELS = 'flowdouble_cancels'

export type SqlValue = string | number | null
export type Row = Readonly<Record<string, SqlValue>>

/** Runs a statement whose values are `$1`, `$2` and so on; resolves to its rows. */
export type Query = (sql: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>

/** What other processes report: the route of a stored run, and the key of a cancelled one. */
export type News = {
  readonly stored: (route: string) => void
  readonly cancelled: (key: string) => void
}

export type Sql = {
  /** Whether other processes use the same database at the same time. */
  readonly isShared: boolean
  /** Runs work in one transaction, after those that began before. Rejects, with nothing changed, if the work does. */
  readonly transaction: <T>(work: (query: Query) => Promise<T>) => Promise<T>
  /** Calls back when another process has stored or cancelled a run; returns what ends that. */
  readonly listen: (news: News) => () => void
  /** Whether the database has no room for new runs: what follows of the others still fits. */
  readonly isFull: (query: Query) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Who writes, and for how long what counts. */
export type StoreOptions = {
  /** The name of this gateway, which no other one has, before or after it. */
  readonly owner: string
  /** How long a gateway that is silent counts as living, in milliseconds. */
  readonly leaseMs: number
  /** How long runs that have ended are kept, in milliseconds. */
  readonly keepMs: number
}

/** The reason of a database, which can contain no part of its address. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as NodeJS.ErrnoException
  return code ?? error.message.slice(0, 200)
}

/** Runs pieces of work one after the other. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
