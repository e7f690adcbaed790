// What the page shows beside the session: what is selected, what is open, and which part of it is visible.

import type { Sort } from './columns.ts'
import type { Filter } from './filter.ts'
import type { Journal } from './journal.ts'
import type { Range } from './scale.ts'
import type { Clock, Fault, Session } from './session.ts'
import type { Stored, StoredChange } from './stored.ts'

export type Tab = 'details' | 'log' | 'faults'
export type View = 'timeline' | 'requests' | 'stored'

export type State = {
  journal: Journal
  clock: Clock
  faults: readonly Fault[]
  /** What is shown of the store of a gateway; null without one. */
  stored: Stored | null
  session: Session
  /** The part of the session that the filter lets through. */
  shown: Session
  /** The key of what is selected; null for an overview. */
  selection: string | null
  /** Runs that the user has opened or closed, by id. */
  readonly opened: Map<string, boolean>
  /** The visible part of the time; null for all of it. */
  range: Range | null
  view: View
  tab: Tab
  filter: Filter
  sort: Sort
  /** The name of the file that is shown instead of the server. */
  file: string | null
  /** Whether the server answers. */
  isLive: boolean
}

/** What the views can do. */
export type Actions = {
  readonly select: (key: string | null) => void
  readonly toggle: (run: string) => void
  readonly show: (tab: Tab) => void
  readonly view: (view: View) => void
  readonly filter: (change: Partial<Filter>) => void
  readonly sort: (sort: Sort) => void
  /** Removes the filter, and shows all of the time. */
  readonly showAll: () => void
  readonly removeFault: (id: string) => void
  readonly changeStored: (what: StoredChange, key: string) => void
}
