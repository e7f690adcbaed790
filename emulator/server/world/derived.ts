// Values derived from the state of a world: its time, its running runs, and so on.

import type { JobStatus } from '../../../spec/server/jobs.ts'
import type { Ending, Running } from '../state/runs.ts'
import type { HostedWorld, World } from '../state/world.ts'

export const isHosted = (world: World): world is HostedWorld => world.setup.hosted !== null

/** A time of the world as clients see it: whole milliseconds since 1970. `ms` is the world's time. */
export const momentOf = ({ setup: { options } }: World, ms: number): number =>
  options.epochMs + Math.floor(ms)

/** The world's time as a client sees it. */
export const timestamp = (world: World): number => momentOf(world, world.state.nowMs)

/** The running runs, in the order in which they began. */
export const runningOf = ({ state: { workers } }: World): readonly Running[] => {
  const running = workers.flatMap((worker) => worker.running ?? [])
  return running.length < 2 ? running : running.sort((a, b) => a.serial - b.serial)
}

/** Runs that are pending or running. */
export function remaining({ state: { pendingCount, workers } }: World): number {
  let count = pendingCount
  for (const { running } of workers) if (running !== null) count++
  return count
}

/** The status of a job whose run has ended. */
export const endedStatuses = {
  success: 'completed',
  error: 'failed',
  interrupted: 'cancelled',
} as const satisfies Record<Ending['state'], JobStatus>
