// The queue [queue/*]: what waits and what runs, clearing, deleting, interrupting.

import { makeHeap, popHeap, pushHeap } from '../../lib/heap.ts'
import { sendStatus } from './sockets.ts'
import { remaining } from './derived.ts'
import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { restWorker, wakeWorker } from './timers.ts'

type Order = (a: Run, b: Run) => boolean

/** Smaller numbers first, then the order of submits. */
const before: Order = (a, b) =>
  a.number < b.number || (a.number === b.number && a.serial < b.serial)

/** With the quirk equal numbers go by their ids, and the heap shows: what is deleted leaves it at once. */
const beforeById: Order = (a, b) =>
  a.number < b.number ||
  (a.number === b.number &&
    (a.prompt_id < b.prompt_id || (a.prompt_id === b.prompt_id && a.serial < b.serial)))

const showsHeap = ({ setup }: World): boolean => setup.quirks.has('queue.heap-order')
const orderOf = (world: World): Order => (showsHeap(world) ? beforeById : before)

/** What a pending run takes up, in bytes: its texts, and something for all that goes with them. */
function heldBytes(run: Run): number {
  const texts = [run.graphText, run.extraDataText, run.shownExtraDataText, run.prompt_id]
  return texts.reduce((sum, { length }) => sum + length, 1024 + 16 * run.outputs.length)
}

/** Whether a run finds its place among those that wait. */
export const hasRoom = (
  { setup: { options }, state: { pendingBytes } }: World,
  run: Run,
): boolean => pendingBytes + heldBytes(run) <= options.pendingLimitBytes

/** Adds a run to those that wait. `silently` sends no status, as where a real server trips over the run. */
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
  if (idle !== undefined)
    wakeWorker(world, idle, world.state.nowMs + world.setup.options.startDelayMs)
  if (how === 'notify') sendStatus(world, remaining(world))
}

/** When a run has waited as long as each does before it starts [queue/start-delay]. */
export const readyAtMs = ({ setup }: World, { submittedAtMs }: Run): number =>
  submittedAtMs + setup.options.startDelayMs

/** Takes the next run out of the queue, or undefined when none waits. */
export function dequeue(world: World): Run | undefined {
  for (;;) {
    const run = popHeap(world.state.pending, orderOf(world))
    if (run === undefined || !run.deleted) {
      if (run !== undefined) subtractFromCounts(world, run)
      return run
    }
  }
}

/** The next run, left in its place. Deleted ones before it are dropped. */
export function nextPending(world: World): Run | undefined {
  while (world.state.pending[0]?.deleted) popHeap(world.state.pending, orderOf(world))
  return world.state.pending[0]
}

/** Deleted runs leave the heap when they outnumber the others: they could hold more than all that wait. */
function dropDeleted(world: World): void {
  const { pending, pendingCount } = world.state
  if (pending.length <= 2 * pendingCount + 64) return
  const kept = pending.filter(({ deleted }) => !deleted).sort((a, b) => (before(a, b) ? -1 : 1))
  pending.length = 0
  // A sorted list is a heap. Spread arguments are bounded, so one by one.
  for (const run of kept) pending.push(run)
}

function subtractFromCounts(world: World, run: Run): void {
  world.state.pendingCount--
  world.state.pendingBytes -= heldBytes(run)
  const sameId = world.state.pendingById.get(run.prompt_id) ?? []
  if (sameId.length <= 1) world.state.pendingById.delete(run.prompt_id)
  else sameId.splice(sameId.indexOf(run), 1)
}

/** The runs that wait, in no order. */
export const waitingOf = ({ state: { pending } }: World): readonly Run[] =>
  pending.filter(({ deleted }) => !deleted)

/** The runs that wait, the next one first. */
export function pendingOf(world: World): readonly Run[] {
  const isBefore = orderOf(world)
  return [...waitingOf(world)].sort((a, b) => (isBefore(a, b) ? -1 : 1))
}

/** The runs that wait, in the order in which they are listed. */
export const listedOf = (world: World): readonly Run[] =>
  showsHeap(world) ? waitingOf(world) : pendingOf(world)

/** The place of a pending run among those that wait, from 1. */
export function queuePosition({ state: { pending } }: World, run: Run): number {
  let place = 1
  for (const one of pending) if (!one.deleted && before(one, run)) place++
  return place
}

/** Takes a pending run out of its place. */
export function takeOut(world: World, run: Run): void {
  run.deleted = true
  subtractFromCounts(world, run)
  if (showsHeap(world)) {
    const { pending } = world.state
    pending.splice(pending.indexOf(run), 1)
    makeHeap(pending, beforeById)
  } else dropDeleted(world)
}

/** Once nothing is pending, no idle worker has anything to begin. */
export function restIdleWorkers(world: World): void {
  if (world.state.pendingCount > 0) return
  for (const worker of world.state.workers) if (worker.running === null) restWorker(world, worker)
}

/** Takes out all that wait. */
export function clearPending(world: World): void {
  for (const run of world.state.pending) run.deleted = true
  world.state.pending.length = 0
  world.state.pendingById.clear()
  world.state.pendingCount = 0
  world.state.pendingBytes = 0
}

/** So many of the pending runs with one id are looked at, the newest first. */
const MOST_LOOKED_AT = 1000

/**
 * The number of pending runs with the number and the id of this one that differ from it otherwise, 2 for more. Real
 * servers order them by graph, which cannot be compared: runs that are equal throughout are none of these.
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

/** Why a run with two such runs in front of it fails [runs/poison-fails-its-run]. */
export const collisionText = 'two pending runs have the same number and prompt_id'
