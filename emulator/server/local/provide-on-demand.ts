// What most requests do not need. It provides itself when it loads: with the first request that needs it, or with what steps
// a server immediately, such as a replay.

import { advance } from '../runs/worker.ts'
import { assetHandlers } from './assets/handlers.ts'
import { provide } from './on-demand.ts'
import { submit } from './submit.ts'

provide({ submit, advance, assetHandlers })
