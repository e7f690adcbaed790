// The timers of a world: when each worker continues, when an installation ends, and when late messages are sent.

import { cancelTimer, setTimer } from '../../lib/timers.ts'
import type { LateEffect, Worker } from '../state/runs.ts'
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

/** Sends a message later, before anything else that happens at that time [scenario/socket-lag]. */
export function sendLater({ setup, timers }: World, effect: LateEffect, atMs: number): void {
  setTimer(timers, atMs, { kind: 'late', world: setup.index, effect }, -1)
}

/** Ends a run that still waits then [scenario/run-expires]. */
export function expireAt({ setup, timers }: World, prompt_id: string, atMs: number): void {
  setTimer(timers, atMs, { kind: 'expiry', world: setup.index, prompt_id })
}

/** Schedules a step of a task [tasks/clock]. */
export function wakeTask({ setup, timers }: World, task: string, atMs: number): void {
  setTimer(timers, atMs, { kind: 'task', world: setup.index, task }, -1)
}

/** Lets time pass at least until then before the world is idle: a record becomes visible. */
export function waitUntil({ setup, timers }: World, atMs: number): void {
  setTimer(timers, atMs, { kind: 'pause', world: setup.index })
}
