// Opens the store that the options of a gateway name: a file, or the URL of a database.

import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { makeWritableFolder } from '../../../config/folders.ts'
import { holdLock } from '../../../config/lock.ts'
import { isPostgres, throwUnusable } from './place.ts'
import { createStore, type Store } from './store.ts'

export type StoreSettings = {
  /** The path of a file, or a URL that begins with postgres:// or postgresql://. */
  readonly store: string
  readonly leaseMs: number
  readonly keepDays: number
  /** The largest size of a file, in MiB. */
  readonly storeMib: number
}

const DAY_MS = 86_400_000

/** Opens a store. Throws a refusal, in one line, for one that cannot be opened. */
export const requireStore = (settings: StoreSettings): Promise<Store> =>
  openStore(settings).catch(throwUnusable)

/** Throws a refusal for a file that another process uses, and for the store of a newer version. */
export async function openStore({
  store,
  leaseMs,
  keepDays,
  storeMib,
}: StoreSettings): Promise<Store> {
  const options = { owner: randomUUID(), leaseMs, keepMs: keepDays * DAY_MS }
  if (isPostgres(store)) {
    const { openPostgres } = await import('./postgres.ts')
    return createStore(await openPostgres(store), options)
  }
  await makeWritableFolder(dirname(store))
  const release = await holdLock(
    store,
    (pid) => `Another gateway, process ${pid}, uses ${store}: stop it first.`,
  )
  try {
    const { openSqlite } = await import('./sqlite.ts')
    const opened = await createStore(await openSqlite(store, storeMib * 2 ** 20), options)
    return {
      ...opened,
      close: async () => {
        try {
          await opened.close()
        } finally {
          await release()
        }
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}
