// The runs of a hosted account as jobs [jobs/*]: pending, running and finished ones, and how they are cancelled
// [jobs/cancel*].

import type { HistoryEntry, Run } from '../state/runs.ts'
import type { JobStatus } from '../../../spec/server/jobs.ts'
import type { World } from '../state/world.ts'
import { announce } from './log.ts'
import { everyone, send, sendStatus } from './sockets.ts'
import { get, put } from '../../lib/bounded.ts'
import { endedStatuses, runningOf, timestamp } from './derived.ts'
import { addEntry } from './history.ts'
import { interruptWorker, restIdleWorkers, takeOut, waitingOf } from './queue.ts'

/** One run of an account. Times are in milliseconds of the world's time. */
export type Job = {
  readonly prompt_id: string
  readonly status: JobStatus
  /** The submitted run. */
  readonly run: Pick<Run, 'serial' | 'graphText' | 'extraDataText' | 'workflow_id'>
  readonly createdMs: number
  readonly startedMs: number | null
  /** How it ended; null until then. */
  readonly entry: HistoryEntry | null
}

const openJob = (run: Run, startedMs: number | null): Job => ({
  prompt_id: run.prompt_id,
  status: startedMs === null ? 'pending' : 'in_progress',
  run,
  createdMs: run.submittedAtMs,
  startedMs,
  entry: null,
})

/** A run that has ended. Its job can lag behind [scenario/job-lag]. */
function endedJob({ state }: World, entry: HistoryEntry): Job {
  const isKnown = entry.jobMs <= state.nowMs
  return {
    prompt_id: entry.prompt_id,
    status: isKnown ? endedStatuses[entry.state] : 'in_progress',
    run: entry,
    createdMs: entry.createdMs,
    startedMs: entry.startedMs,
    entry: isKnown ? entry : null,
  }
}

/** A job as a request finds it: one that misses its end counts [scenario/job-lag-polls]. */
export function polled(job: Job): Job {
  const { entry } = job
  if (entry === null || entry.jobPolls === 0) return job
  entry.jobPolls--
  return Object.assign({}, job, { status: 'in_progress', entry: null } as const)
}

/** All jobs of an account, unordered. */
export const jobsOf = (world: World): readonly Job[] => [
  ...waitingOf(world).map((run) => openJob(run, null)),
  ...runningOf(world).map(({ run, startedMs }) => openJob(run, startedMs)),
  ...Array.from(world.state.history.entries.values(), ({ value }) => endedJob(world, value)),
]

/** The job with this id, or undefined if the account has none. */
export function jobOf(world: World, id: string): Job | undefined {
  const pending = world.state.pendingById.get(id)?.[0]
  if (pending !== undefined) return openJob(pending, null)
  const running = runningOf(world).find(({ run }) => run.prompt_id === id)
  if (running !== undefined) return openJob(running.run, running.startedMs)
  const entry = get(world.state.history, id)
  return entry === undefined ? undefined : endedJob(world, entry)
}

/**
 * Cancels jobs in order, running ones only if requested. Returns the ids of the cancelled jobs, and sends the number of
 * remaining ones to all clients once.
 */
export function cancel(
  world: World,
  ids: Iterable<string>,
  reachesRunning = true,
): readonly string[] {
  const before = world.state.pendingCount
  const cancelled = [...new Set(ids)].filter(
    (id) => cancelPending(world, id) || (reachesRunning && stopRunning(world, id)),
  )
  restIdleWorkers(world)
  if (world.state.pendingCount !== before) sendStatus(world)
  return cancelled
}

/** Ends a run that waits too long; one that has begun goes on [scenario/run-expires]. */
export function expire(world: World, id: string): void {
  if (!world.state.pendingById.has(id)) return
  put(world.state.v2.expired, id, true)
  cancel(world, [id])
}

/** Ends a run that has not begun; false if it has begun or is unknown. */
function cancelPending(world: World, id: string): boolean {
  const run = world.state.pendingById.get(id)?.[0]
  if (run === undefined) return false
  takeOut(world, run)
  endUnstarted(world, run)
  return true
}

/** Stores a run that never began as cancelled [messages/hosted-early-cancel]. */
function endUnstarted(world: World, run: Run): void {
  const id = JSON.stringify(run.prompt_id)
  const data = `{"prompt_id": ${id}, "executed": [], "timestamp": ${timestamp(world)}}`
  const messages = [`["execution_interrupted", ${data}]`]
  if (!world.setup.quirks.has('hosted.silent-pending-cancel'))
    send(world, everyone(world), 'execution_interrupted', data)
  const nothing = { outputs: [], meta: [], failure: null, startedMs: null }
  addEntry(world, run, { state: 'interrupted', messages, ...nothing })
  announce(world, run.prompt_id, 'interrupted')
}

/** Requests a running job to stop at its next check point; false if it is not running, or is stopping already. */
function stopRunning(world: World, id: string): boolean {
  const worker = world.state.workers.find(({ running }) => running?.run.prompt_id === id)
  if (worker === undefined || worker.interrupted) return false
  interruptWorker(world, worker)
  return true
}
