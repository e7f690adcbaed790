// The jobs of a local server [local-jobs/*]: a view of its queue and its history.

import { isCanonicalUuid } from '../../lib/uuid.ts'
import { isObject, type Json, readJson } from '../../lib/json.ts'
import { json, refuse, type Reply } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { pythonText } from '../../lib/python.ts'
import type { World } from '../state/world.ts'
import { interruptWorker, restIdleWorkers } from '../world/queue.ts'
import { removePending } from './queue.ts'

const cancelled = (isCancelled: boolean): Reply => json(`{"cancelled": ${isCancelled}}`)

/** Interrupts the running job of an id, or else removes a pending one; false if there is neither. */
function cancel(world: World, id: string): boolean {
  const worker = world.state.workers.find(({ running }) => running?.run.prompt_id === id)
  if (worker === undefined) return removePending(world, id)
  interruptWorker(world, worker)
  return true
}

/** POST /api/jobs/{id}/cancel. */
export function cancelLocalJob(world: World, { segment }: Request): Reply {
  const isCancelled = cancel(world, segment)
  restIdleWorkers(world)
  return cancelled(isCancelled)
}

/** POST /api/jobs/cancel. */
export function cancelLocalJobs(world: World, request: Request): Reply {
  let body: Json
  try {
    body = readJson(bodyText(request))
  } catch {
    return refuse('jobsNotJson')
  }
  const ids = isObject(body) ? body.get('job_ids') : undefined
  if (!Array.isArray(ids)) return refuse('jobIdsMissing')
  const invalid = ids.filter((id) => !isCanonicalUuid(id))
  if (invalid.length > 0) {
    const error = 'job_ids contains invalid id(s)'
    return json(JSON.stringify({ error, invalid_ids: invalid.map(pythonText) }), 400)
  }
  const found = ids.filter((id) => cancel(world, id as string))
  restIdleWorkers(world)
  return cancelled(found.length > 0)
}
