// Cancelling jobs on hosted [jobs/cancel*]: what it does, whoever asks for it, and the two paths of jobs.

import { jobLimits } from '../../../spec/server/jobs.ts'
import { badRequest, json, refuseHosted, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { isTexts, readClosed } from './clear-and-delete.ts'
import { remember } from '../world/history.ts'
import { badId, isUuid, jobOf } from './jobs.ts'
import { announce } from '../world/log.ts'
import { everyone, send, sendStatus } from '../world/sockets.ts'
import { rest, takeOut } from '../world/queue.ts'
import { remaining, timestamp } from '../world/world.ts'
import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/**
 * Cancels jobs in their order, those that run only where they are meant too. Gives the ids of those on which it took
 * effect; everyone is told once how many are left.
 */
export function cancel(
  world: World,
  ids: Iterable<string>,
  reachesRunning = true,
): readonly string[] {
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
  if (!isUuid(segment)) return badId
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
