// The timers of a world: when each worker continues, and when an installation ends.

import { cancelTimer, setTimer } from '../../lib/timers.ts'
import type { Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** More workers than any account has, so that the worlds of all accounts have distinct ranks. */
const RANKS_PER_WORLD = 1000

/** Schedules a worker, and replaces its previous timer. */
export function wakeWorker({ setup, timers }: World, worker: Worker, atMs: number): void {
  if (worker.timer !== null) cancelTimer(timers, worker.timer)
  const what = { kind: 'worker', world: setup.index, worker: worker.index } as const
  const rank = setup.index * RANKS_PER_WORLD + 1 + worker.index
  worker.timer = setTimer(timers, atMs, what, rank)
}

/** Removes the timer of a worker. */
export function restWorker({ timers }: World, worker: Worker): void {
  if (worker.timer !== null) cancelTimer(timers, worker.timer)
  worker.timer = null
}

/** Schedules the end of an installation. It precedes workers at the same time. */
export function wakeInstalls({ setup, timers }: World, atMs: number): void {
  const what = { kind: 'install', world: setup.index } as const
  setTimer(timers, atMs, what, setup.index * RANKS_PER_WORLD)
}
