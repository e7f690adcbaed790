// What a world does by itself, and when: the next thing of each worker, and the end of an installation.

import { cancelTimer, setTimer } from '../../lib/timers.ts'
import type { Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** More workers than an account ever has, so that the worlds of all accounts have ranks of their own. */
const RANKS_PER_WORLD = 1000

/** Lets a worker do its next thing at this moment, instead of at the one that was set before. */
export function wakeWorker({ setup, timers }: World, worker: Worker, atMs: number): void {
  if (worker.timer !== null) cancelTimer(timers, worker.timer)
  const what = { kind: 'worker', world: setup.index, worker: worker.index } as const
  const rank = setup.index * RANKS_PER_WORLD + 1 + worker.index
  worker.timer = setTimer(timers, atMs, what, rank)
}

/** Leaves a worker with nothing to do. */
export function restWorker({ timers }: World, worker: Worker): void {
  if (worker.timer !== null) cancelTimer(timers, worker.timer)
  worker.timer = null
}

/** Lets an installation end at this moment. It comes before what workers do then. */
export function wakeInstalls({ setup, timers }: World, atMs: number): void {
  const what = { kind: 'install', world: setup.index } as const
  setTimer(timers, atMs, what, setup.index * RANKS_PER_WORLD)
}
