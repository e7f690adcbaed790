// The runs in the store of a gateway, which outlive its journal: the page reads and changes them by its control API.

import { storedRunStates } from '../../../spec/gateway/store.ts'
import type { Members } from '../../lib/loose.ts'
import { read, send } from './connection.ts'

export type StoredRun = Members &
  Readonly<Record<'key' | 'route' | 'delivery_id' | 'state' | 'target', string>> & {
    readonly begun: number
    readonly attempt: number | null
    readonly accepted_ms: number
    readonly error: string | null
  }

/** What the page shows of a store. */
export type Stored = {
  /** The latest runs, the newest first, without their texts. */
  readonly rows: readonly StoredRun[]
  /** The run that is selected, with its texts. */
  readonly run: StoredRun | null
}

export type StoredChange = 'retry' | 'cancel' | 'drop'

/** The most runs that are listed. */
export const MAX_RUNS = 200

/** The states, those first that need somebody. */
export const storedStates = ['dead', ...storedRunStates.filter((state) => state !== 'dead')]

export const nothingStored: Stored = { rows: [], run: null }

/** The key of a stored run that is selected; undefined for anything else. */
export const storedKey = (selection: string | null): string | undefined =>
  selection?.startsWith('s:') === true ? selection.slice(2) : undefined

const pathOf = (key: string): string => `stored-runs/${encodeURIComponent(key)}`

/**
 * @param state lists the runs in this state; empty for all.
 * @param key the run to show.
 */
export async function readStored(state: string, key: string | undefined): Promise<Stored> {
  const query = `limit=${MAX_RUNS}${state === '' ? '' : `&state=${state}`}`
  const rows = await read<readonly StoredRun[]>(`stored-runs?${query}`)
  const run = key === undefined ? null : await read<StoredRun>(pathOf(key)).catch(() => null)
  return { rows: rows.toReversed(), run }
}

export const changeStored = (what: StoredChange, key: string): Promise<unknown> =>
  what === 'drop' ? send('DELETE', pathOf(key)) : send('POST', pathOf(key), { do: what })
