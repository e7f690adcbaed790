// The queue [queue/*]: what waits and what runs, clearing, deleting, interrupting.

import { isObject, type Json, readJson } from '../../lib/json.ts'
import { popHeap, pushHeap } from '../../lib/heap.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { readChange } from './clear-and-delete.ts'
import { sendStatus } from './sockets.ts'
import { isTruthy } from '../../lib/python.ts'
import { remaining, runningOf } from './world.ts'
import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** Smaller numbers first, then the order of submits. */
const before = (a: Run, b: Run): boolean =>
  a.number < b.number || (a.number === b.number && a.serial < b.serial)

/** What a pending run takes up, in bytes: its texts, and something for all that goes with them. */
function sizeOf(run: Run): number {
  const texts = [run.graphText, run.extraDataText, run.shownExtraDataText, run.prompt_id]
  return texts.reduce((sum, { length }) => sum + length, 1024 + 16 * run.outputs.length)
}

/** Whether a run finds its place among those that wait. */
export const hasRoom = ({ pendingBytes, options }: World, run: Run): boolean =>
  pendingBytes + sizeOf(run) <= options.pendingLimitBytes

/** Adds a run to those that wait. `untold` sends no status, as where a real server trips over the run. */
export function enqueue(world: World, run: Run, telling: 'told' | 'untold' = 'told'): void {
  pushHeap(world.pending, run, before)
  const sameId = world.pendingById.get(run.prompt_id)
  if (sameId === undefined) world.pendingById.set(run.prompt_id, [run])
  else sameId.push(run)
  world.pendingCount++
  world.pendingBytes += sizeOf(run)
  const idle = world.workers.find(
    ({ running, dueMs, dead }) => !running && !dead && dueMs === undefined,
  )
  if (idle !== undefined) idle.dueMs = world.nowMs + world.options.startDelayMs
  if (telling === 'told') sendStatus(world, remaining(world))
}

/** Takes the next run out of the queue, or undefined when none waits. */
export function dequeue(world: World): Run | undefined {
  for (;;) {
    const run = popHeap(world.pending, before)
    if (run === undefined || !run.deleted) {
      if (run !== undefined) forget(world, run)
      return run
    }
  }
}

/** The next run, left in its place. Deleted ones before it are dropped. */
export function nextPending(world: World): Run | undefined {
  while (world.pending[0]?.deleted) popHeap(world.pending, before)
  return world.pending[0]
}

/** Deleted runs leave the heap when they outnumber the others: they could hold more than all that wait. */
function dropDeleted(world: World): void {
  const { pending, pendingCount } = world
  if (pending.length <= 2 * pendingCount + 64) return
  const kept = pending.filter(({ deleted }) => !deleted).sort((a, b) => (before(a, b) ? -1 : 1))
  pending.length = 0
  // A sorted list is a heap. Spread arguments are bounded, so one by one.
  for (const run of kept) pending.push(run)
}

function forget(world: World, run: Run): void {
  world.pendingCount--
  world.pendingBytes -= sizeOf(run)
  const sameId = world.pendingById.get(run.prompt_id) ?? []
  if (sameId.length <= 1) world.pendingById.delete(run.prompt_id)
  else sameId.splice(sameId.indexOf(run), 1)
}

/** The runs that wait, in no order. */
export const waitingOf = ({ pending }: World): readonly Run[] =>
  pending.filter(({ deleted }) => !deleted)

/** The runs that wait, the next one first. */
export const pendingOf = (world: World): readonly Run[] =>
  [...waitingOf(world)].sort((a, b) => (before(a, b) ? -1 : 1))

/** The place of a pending run among those that wait, from 1. */
export function placeOf({ pending }: World, run: Run): number {
  let place = 1
  for (const one of pending) if (!one.deleted && before(one, run)) place++
  return place
}

export function readQueue(world: World): Reply {
  const shown = (runs: readonly Run[]): string =>
    runs.map((run) => queueItem(world, run)).join(', ')
  return json(
    `{"queue_running": [${shown(runningOf(world).map(({ run }) => run))}], "queue_pending": [${shown(pendingOf(world))}]}`,
  )
}

function queueItem(world: World, run: Run): string {
  const showsKey = world.quirks.has('local.queue-shows-partner-key')
  const extraData = showsKey ? run.shownExtraDataText : run.extraDataText
  const id = JSON.stringify(run.prompt_id)
  return `[${run.numberText}, ${id}, ${run.graphText}, ${extraData}, ${JSON.stringify(run.outputs)}]`
}

/** Removes pending runs: all with `clear`, the named ones with `delete`. Running and unknown ids are left alone. */
export function changeQueue(world: World, request: Request): Reply {
  const change = readChange(request)
  if (change === undefined) return refuse('internal')
  if (change.clear) {
    for (const run of world.pending) run.deleted = true
    world.pending.length = 0
    world.pendingById.clear()
    world.pendingCount = 0
    world.pendingBytes = 0
    sendStatus(world, remaining(world))
  }
  for (const id of change.ids) {
    const run = world.pendingById.get(id)?.[0]
    if (run === undefined) continue
    takeOut(world, run)
    sendStatus(world, remaining(world))
    // Removing the last pending run tells twice, as real servers do [queue/removal-status].
    if (world.pendingCount === 0) {
      sendStatus(world, remaining(world))
    }
  }
  rest(world)
  return empty
}

/** Takes a pending run out of its place. */
export function takeOut(world: World, run: Run): void {
  run.deleted = true
  forget(world, run)
  dropDeleted(world)
}

/** Once nothing is pending, no idle worker has anything to begin. */
export function rest({ pendingCount, workers }: World): void {
  if (pendingCount > 0) return
  for (const worker of workers) if (worker.running === null) worker.dueMs = undefined
}

/**
 * Asks the running run to stop at its next check point. With a `prompt_id` only that run. The flag is also set while
 * nothing runs, and is lost then: the next run clears it [queue/idle-interrupt-is-lost].
 */
export function interrupt(world: World, request: Request): Reply {
  let body: Json = new Map()
  try {
    if (request.body.length > 0) body = readJson(bodyText(request))
  } catch (error) {
    // A malformed body counts as none; but bytes that are no text are looked at by nobody.
    if (!(error instanceof SyntaxError)) return refuse('internal')
  }
  if (!isObject(body)) return refuse('internal')
  const id = body.get('prompt_id')
  for (const worker of world.workers) {
    if (!isTruthy(id) || id === worker.running?.run.prompt_id) worker.interrupted = true
  }
  return empty
}
