// Loads what nodes do, for the first request that can lead to a run, and for all who step a server themselves.

import { provide } from './loaded-work.ts'
import { valueText } from './printed.ts'
import { scriptedWork } from './scripted-work.ts'

/** Provides what nodes do; further calls change nothing. */
export const provideWork = (): void => provide({ scriptedWork, valueText })
