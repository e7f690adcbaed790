// Loads what most requests do not need, for the first one that does, and for all who step a server themselves.

import { advance } from '../runs/worker.ts'
import { assetHandlers } from './assets/handlers.ts'
import { provide } from './on-demand.ts'
import { submit } from './workflows.ts'

/** Provides these parts; further calls change nothing. */
export const provideOnDemand = (): void => provide({ submit, advance, assetHandlers })
