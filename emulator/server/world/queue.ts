// The queue [queue/*]: pending and running runs; adding, clearing, deleting and interrupting.

import { makeHeap, popHeap, pushHeap } from '../../lib/heap.ts'
import { sendStatus } from './sockets.ts'
import type { Run, Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { expireAt, restWorker, wakeWorker } from './timers.ts'

type Order = (a: Run, b: Run) => boolean

/** Smaller numbers first, then the order of submits. */
const before: Order = (a, b) =>
  a.number < b.number || (a.number === b.number && a.serial < b.serial)

/** With the quirk, equal numbers are ordered by id, and the heap is visible: deleted runs leave it immediately. */
const beforeById: Order = (a, b) =>
  a.number < b.number ||
  (a.number === b.number &&
    (a.prompt_id < b.prompt_id || (a.prompt_id === b.prompt_id && a.serial < b.serial)))

const showsHeap = ({ setup }: World): boolean => setup.quirks.has('queue.heap-order')
const orderOf = (world: World): Order => (showsHeap(world) ? beforeById : before)

/** The approximate size of a pending run, in bytes: its texts, and a constant for the rest. */
function heldBytes(run: Run): number {
  const texts = [run.graphText, run.extraDataText, run.shownExtraDataText, run.prompt_id]
  return texts.reduce((sum, { length }) => sum + length, 1024 + 16 * run.outputs.length)
}

/** The bound of the queue that a further run would exceed; undefined if there is space for it. */
export function metBound(
  { setup: { options }, state: { pendingBytes, pendingCount } }: World,
  run: Run,
): string | undefined {
  const { pendingLimitBytes, pendingLimit = null } = options
  if (pendingLimit !== null && pendingCount >= pendingLimit) return `${pendingLimit} runs`
  if (pendingBytes + heldBytes(run) > pendingLimitBytes) return `${pendingLimitBytes} bytes`
  return undefined
}

/** Adds a run to the queue. `silently` sends no status, for runs on which a real server crashes. */
export function enqueue(world: World, run: Run, how: 'notify' | 'silently' = 'notify'): void {
  pushHeap(world.state.pending, run, orderOf(world))
  const sameId = world.state.pendingById.get(run.prompt_id)
  if (sameId === undefined) world.state.pendingById.set(run.prompt_id, [run])
  else sameId.push(run)
  world.state.pendingCount++
  world.state.pendingBytes += heldBytes(run)
  const idle = world.state.workers.find(
    ({ running, timer, dead }) => !running && !dead && timer === null,
  )
  if (idle !== undefined) wakeWorker(world, idle, readyAtMs(world, run))
  else if (world.script.runs.length > 0) wakeIdleWorkers(world)
  const { expiresMs } = run.script ?? {}
  if (expiresMs !== undefined && world.setup.hosted !== null)
    expireAt(world, run.prompt_id, run.submittedAtMs + expiresMs)
  if (how === 'notify') sendStatus(world)
}

/** When the start delay of a run is over [queue/start-delay, scenario/run-wait]. */
export const readyAtMs = ({ setup }: World, { submittedAtMs, script }: Run): number =>
  submittedAtMs + (script?.waitMs ?? setup.options.startDelayMs)

/** Runs can wait for different times: an idle worker waits for the one that is next now. */
function wakeIdleWorkers(world: World): void {
  const next = nextPending(world)
  if (next === undefined) return
  const readyMs = Math.max(world.state.nowMs, readyAtMs(world, next))
  for (const worker of world.state.workers) {
    if (worker.running === null && (worker.timer?.dueMs ?? -1) > readyMs)
      wakeWorker(world, worker, readyMs)
  }
}

/** Takes the next run out of the queue, or returns undefined if it is empty. */
export function dequeue(world: World): Run | undefined {
  for (;;) {
    const run = popHeap(world.state.pending, orderOf(world))
    if (run === undefined || !run.deleted) {
      if (run !== undefined) subtractFromCounts(world, run)
      return run
    }
  }
}

/** The next run, which stays in the queue. Removes deleted runs before it. */
export function nextPending(world: World): Run | undefined {
  while (world.state.pending[0]?.deleted) popHeap(world.state.pending, orderOf(world))
  return world.state.pending[0]
}

/**
 * Removes deleted runs from the heap when they outnumber the others: they could hold more memory than all pending runs.
 */
function dropDeleted(world: World): void {
  const { pending, pendingCount } = world.state
  if (pending.length <= 2 * pendingCount + 64) return
  const kept = pending.filter(({ deleted }) => !deleted).sort((a, b) => (before(a, b) ? -1 : 1))
  pending.length = 0
  // A sorted list is a heap. Spread arguments have a limit, so push one by one.
  for (const run of kept) pending.push(run)
}

function subtractFromCounts(world: World, run: Run): void {
  world.state.pendingCount--
  world.state.pendingBytes -= heldBytes(run)
  const sameId = world.state.pendingById.get(run.prompt_id) ?? []
  if (sameId.length <= 1) world.state.pendingById.delete(run.prompt_id)
  else sameId.splice(sameId.indexOf(run), 1)
}

/** The pending runs, unordered. */
export const waitingOf = ({ state: { pending } }: World): readonly Run[] =>
  pending.filter(({ deleted }) => !deleted)

/** The pending runs, the next one first. */
export function pendingOf(world: World): readonly Run[] {
  const isBefore = orderOf(world)
  return [...waitingOf(world)].sort((a, b) => (isBefore(a, b) ? -1 : 1))
}

/** The pending runs, in the order of listings. */
export const listedOf = (world: World): readonly Run[] =>
  showsHeap(world) ? waitingOf(world) : pendingOf(world)

/** The position of a pending run in the queue, from 1. */
export function queuePosition({ state: { pending } }: World, run: Run): number {
  let place = 1
  for (const one of pending) if (!one.deleted && before(one, run)) place++
  return place
}

/** Removes a pending run from its position. */
export function takeOut(world: World, run: Run): void {
  run.deleted = true
  subtractFromCounts(world, run)
  if (showsHeap(world)) {
    const { pending } = world.state
    pending.splice(pending.indexOf(run), 1)
    makeHeap(pending, beforeById)
  } else dropDeleted(world)
}

/** Without pending runs, idle workers have nothing to start. */
export function restIdleWorkers(world: World): void {
  if (world.state.pendingCount > 0) {
    if (world.script.runs.length > 0) wakeIdleWorkers(world)
    return
  }
  for (const worker of world.state.workers) if (worker.running === null) restWorker(world, worker)
}

/** Makes the run of a worker stop at its next check point. One that never ends reaches it now. */
export function interruptWorker(world: World, worker: Worker): void {
  worker.interrupted = true
  if (worker.running !== null && worker.timer === null && !worker.dead)
    wakeWorker(world, worker, world.state.nowMs)
}

/** Removes all pending runs. */
export function clearPending(world: World): void {
  for (const run of world.state.pending) run.deleted = true
  world.state.pending.length = 0
  world.state.pendingById.clear()
  world.state.pendingCount = 0
  world.state.pendingBytes = 0
}

/** The maximum number of pending runs with one id that are compared, the newest first. */
const MOST_LOOKED_AT = 1000

/**
 * The number of other pending runs with the number and the id of this one, 2 for more. Real servers then order them by
 * graph, which cannot be compared. Runs that are equal throughout do not count.
 */
export function priorityCollisions(world: World, run: Run): 0 | 1 | 2 {
  const sameId = world.state.pendingById.get(run.prompt_id) ?? []
  let collisions: 0 | 1 = 0
  const last = Math.max(0, sameId.length - MOST_LOOKED_AT)
  for (let at = sameId.length - 1; at >= last; at--) {
    if (!collides(sameId[at] as Run, run)) continue
    if (collisions === 1) return 2
    collisions = 1
  }
  return collisions
}

const collides = (one: Run, other: Run): boolean =>
  one.number === other.number &&
  (one.graphText !== other.graphText || one.shownExtraDataText !== other.shownExtraDataText)

/** Why a run fails behind two such runs [runs/poison-fails-its-run]. */
export const collisionText = 'two pending runs have the same number and prompt_id'
