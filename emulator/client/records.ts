// What the records of a server are asked about a run, and the state that they tell: the same on both deployments.

import type { Server } from './server.ts'

/** Whether a run waits or is at work, is over, or is not known to the server. */
export type RunState = 'waiting' | 'finished' | 'unknown'

/** Which run is asked for, and where. */
export type Asked = {
  readonly server: Server
  readonly promptId: string
  readonly signal: AbortSignal
}
