// What follows directly from the state of a world: its time, its running runs, whether it is hosted.

import type { Running } from '../state/runs.ts'
import type { HostedWorld, World } from '../state/world.ts'

export const isHosted = (world: World): world is HostedWorld => world.setup.hosted !== null

/** A moment of the world as a client sees it: whole milliseconds since 1970. `ms` is the world's own time. */
export const momentOf = ({ setup: { options } }: World, ms: number): number =>
  options.epochMs + Math.floor(ms)

/** The world's time as a client sees it. */
export const timestamp = (world: World): number => momentOf(world, world.state.nowMs)

/** The runs that are executed at this moment, the one that began first at the front. */
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
