// What the page shows beside the session: what is selected, what is open, and which part of the time is visible.

import type { Journal } from './journal.ts'
import type { Range } from './scale.ts'
import type { Clock, Fault, Session } from './session.ts'

export type Tab = 'details' | 'log' | 'faults'

export type State = {
  journal: Journal
  clock: Clock
  faults: readonly Fault[]
  session: Session
  /** The key of what is selected; null for an overview. */
  selection: string | null
  /** Runs that the user has opened or closed, by id. */
  readonly opened: Map<string, boolean>
  /** The visible part of the time; null for all of it. */
  range: Range | null
  tab: Tab
  /** What the log shows: lines that contain it. */
  filter: string
  /** Whether the server answers. */
  isLive: boolean
}

/** What the views can do. */
export type Actions = {
  readonly select: (key: string | null) => void
  readonly toggle: (run: string) => void
  readonly show: (tab: Tab) => void
  readonly filter: (text: string) => void
  readonly removeFault: (id: string) => void
}
