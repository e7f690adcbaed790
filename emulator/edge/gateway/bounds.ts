// The bounds of what a gateway holds for clients that do not finish.

import { limits } from '../../../spec/limits.ts'

export type Bounds = {
  /** Open connections. */
  readonly connections: number
  /** The memory of all bodies of which a part has come. */
  readonly unfinishedBytes: number
  /** The time for the head of a request. */
  readonly headMs: number
  /** A pause in a body, and the time for the whole of it. */
  readonly bodyPauseMs: number
  readonly bodyMs: number
  /** The time between two requests on a connection. */
  readonly idleMs: number
}

export const usualBounds: Bounds = {
  connections: limits.connections.value,
  unfinishedBytes: limits.unfinishedBodies.value,
  headMs: limits.headTime.value * 1000,
  bodyPauseMs: limits.bodyPause.value * 1000,
  bodyMs: limits.bodyTime.value * 1000,
  idleMs: limits.idleTime.value * 1000,
}
