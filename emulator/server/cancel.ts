// Cancelling on hosted [jobs/cancel*, queue/hosted-*]: by the job, by the queue, and by an interrupt.

import { jobLimits } from '../../spec/jobs.ts'
import type { hostedQueueResult } from '../../spec/queue.ts'
import type { Static } from '../../spec/static.ts'
import { isObject, type Json } from '../json.ts'
import { badRequest, empty, json, refuseHosted, type Reply } from '../replies.ts'
import { bodyJson, type Request } from '../requests.ts'
import { remember } from './history.ts'
import { badId, isUuid, jobOf } from './jobs.ts'
import { announce } from './log.ts'
import { everyone, send, sendStatus } from './messages.ts'
import { pendingOf, rest, takeOut } from './queue.ts'
import { remaining, type Run, runningOf, timestamp, type World } from './world.ts'

/**
 * Cancels jobs in their order, those that run only where they are meant too. Gives the ids of those on which it took
 * effect; everyone is told once how many are left.
 */
function cancel(world: World, ids: Iterable<string>, reachesRunning = true): readonly string[] {
  const before = world.pendingCount
  const cancelled = [...new Set(ids)].filter(
    (id) => cancelPending(world, id) || (reachesRunning && stop(world, id)),
  )
  rest(world)
  if (world.pendingCount !== before) sendStatus(world, remaining(world))
  return cancelled
}

/** Ends a run that has not begun; false when it is none of those. */
function cancelPending(world: World, id: string): boolean {
  const run = world.pendingById.get(id)?.[0]
  if (run === undefined) return false
  takeOut(world, run)
  end(world, run)
  return true
}

/** Files a run that never began as one that was cancelled [messages/hosted-early-cancel]. */
function end(world: World, run: Run): void {
  const id = JSON.stringify(run.prompt_id)
  const data = `{"prompt_id": ${id}, "executed": [], "timestamp": ${timestamp(world)}}`
  const messages = [`["execution_interrupted", ${data}]`]
  if (!world.quirks.has('hosted.silent-pending-cancel'))
    send(world, everyone(world), 'execution_interrupted', data)
  const nothing = { outputs: [], meta: [], failure: null, startedMs: null }
  remember(world, run, { state: 'interrupted', messages, ...nothing })
  announce(world, run.prompt_id, 'interrupted')
}

/** Asks a running job to stop at its next check point; false when it does not run, or was asked before. */
function stop(world: World, id: string): boolean {
  const worker = world.workers.find(({ running }) => running?.run.prompt_id === id)
  if (worker === undefined || worker.interrupted) return false
  worker.interrupted = true
  return true
}

/** POST /jobs/{id}/cancel. */
export function cancelJob(world: World, { segment }: Request): Reply {
  if (!isUuid(segment)) return badId()
  if (jobOf(world, segment) === undefined) return refuseHosted('notFound')
  return json(`{"cancelled": ${cancel(world, [segment]).length > 0}}`)
}

/** POST /jobs/cancel: all of the named jobs, or none where one of them is unknown. */
export function cancelJobs(world: World, request: Request): Reply {
  const ids = readClosed(request, ['job_ids'])?.get('job_ids')
  if (!isTexts(ids) || ids.length === 0 || ids.length > jobLimits.cancel || !ids.every(isUuid)) {
    const reason = `The body has 1 to ${jobLimits.cancel} ids of jobs as job_ids, and no other key.`
    return badRequest(reason)
  }
  if (!ids.every((id) => jobOf(world, id) !== undefined)) return refuseHosted('notFound')
  return json(JSON.stringify({ cancelled: cancel(world, ids) }))
}

/** POST /queue: cancels all pending jobs with `clear`, those that are named with `delete`. */
export function changeHostedQueue(world: World, request: Request): Reply {
  const change = readHostedChange(request)
  if (change === undefined) return badChange()
  const deleted = cancel(world, change.ids, world.quirks.has('hosted.delete-running'))
  const waiting = change.clear ? pendingOf(world) : []
  cancel(
    world,
    waiting.map(({ prompt_id }) => prompt_id),
    false,
  )
  const result = { deleted: [...deleted], cleared: change.clear }
  return json(JSON.stringify(result satisfies Static<typeof hostedQueueResult>))
}

/** The body of a change of queue or history on hosted; undefined when it has another form than this. */
export function readHostedChange(
  request: Request,
): { readonly clear: boolean; readonly ids: readonly string[] } | undefined {
  const body = readClosed(request, ['clear', 'delete'])
  const clear = body?.get('clear') ?? false
  const ids = body?.get('delete') ?? []
  if (body === undefined || typeof clear !== 'boolean' || !isTexts(ids)) return undefined
  return { clear, ids }
}

/** The refusal of such a body. */
export const badChange = (): Reply =>
  badRequest('The body has clear, delete or both, and no other key.')

/** The JSON object of a body that has no other keys than these; undefined when it is none. */
function readClosed(
  request: Request,
  keys: readonly string[],
): ReadonlyMap<string, Json> | undefined {
  const body = bodyJson(request)
  return isObject(body) && [...body.keys()].every((key) => keys.includes(key)) ? body : undefined
}

const isTexts = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/**
 * POST /interrupt: cancels the oldest running job that is not stopping yet, or the one that `prompt_id` names.
 * Without a running job it does nothing.
 */
export function interruptHosted(world: World, request: Request): Reply {
  const running = runningOf(world)
  const ids = running.filter(({ worker }) => !worker.interrupted).map(({ run }) => run.prompt_id)
  if (world.quirks.has('hosted.interrupt-all')) {
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
