// The queue of a hosted server [queue/hosted-*]: listing, clearing and interrupting.

import type { hostedQueueResult } from '../../../spec/server/queue.ts'
import type { Static } from '../../../spec/static.ts'
import { isObject } from '../../lib/json.ts'
import { empty, json, type Reply, refuseHosted } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import { badChange, readChange } from './clear-and-delete.ts'
import { unrecordedEntries } from '../world/history.ts'
import { pendingOf } from '../world/queue.ts'
import { momentOf, runningOf } from '../world/derived.ts'
import type { HistoryEntry, Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { cancel, jobOf } from '../world/jobs.ts'

/** GET /queue. */
export function readQueue(world: World): Reply {
  const listText = (runs: readonly QueuedRun[]): string =>
    runs.map((run, index) => queueItem(world, run, index + 1)).join(', ')
  const running = [
    ...unrecordedEntries(world).map(asRunning),
    ...runningOf(world).map(({ run }) => run),
  ]
  return json(
    `{"queue_running": [${listText(running)}], "queue_pending": [${listText(pendingOf(world))}]}`,
  )
}

/** The members of a run that the queue shows. */
type QueuedRun = Pick<Run, 'graphText' | 'outputs' | 'prompt_id' | 'submittedAtMs'>

/** A run that has ended, and that the records still show as running. */
const asRunning = ({ prompt_id, graphText, targetsText, createdMs }: HistoryEntry): QueuedRun => ({
  prompt_id,
  graphText,
  outputs: JSON.parse(targetsText) as string[],
  submittedAtMs: createdMs,
})

function queueItem(world: World, run: QueuedRun, place: number): string {
  const { graphText, outputs, prompt_id, submittedAtMs } = run
  const create_time = momentOf(world, submittedAtMs)
  const id = JSON.stringify(prompt_id)
  return `[${place}, ${id}, ${graphText}, ${JSON.stringify(outputs)}, {"create_time": ${create_time}}]`
}

/** POST /queue: cancels all pending jobs with `clear`, the named ones with `delete`. */
export function changeQueue(world: World, request: Request): Reply {
  const change = readChange(request)
  if (change === undefined) return badChange
  const deleted = cancel(world, change.ids, world.setup.quirks.has('hosted.delete-running'))
  const waiting = change.clear ? pendingOf(world) : []
  cancel(
    world,
    waiting.map(({ prompt_id }) => prompt_id),
    false,
  )
  const result = { deleted: [...deleted], cleared: change.clear }
  return json(JSON.stringify(result satisfies Static<typeof hostedQueueResult>))
}

/**
 * POST /interrupt: cancels the oldest running job that is not stopping yet, or the one with the id `prompt_id`. Does
 * nothing without a running job.
 */
export function interrupt(world: World, request: Request): Reply {
  const running = runningOf(world)
  const ids = running.filter(({ worker }) => !worker.interrupted).map(({ run }) => run.prompt_id)
  if (world.setup.quirks.has('hosted.interrupt-all')) {
    cancel(world, ids)
    return empty
  }
  const body = bodyJson(request)
  const named = isObject(body) ? (body.get('prompt_id') ?? null) : null
  if (named === null) cancel(world, ids.slice(0, 1))
  else if (typeof named !== 'string' || jobOf(world, named) === undefined)
    return refuseHosted('notFound')
  else cancel(world, [named])
  return empty
}
