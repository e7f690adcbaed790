// Jobs of the hosted API v2 [v2-jobs/*]: the runs of the account in its words.

import {
  JOB_LIFETIME_H,
  type v2Job,
  type v2JobError,
  type V2State,
} from '../../../spec/v2/v2-jobs.ts'
import type { JobStatus } from '../../../spec/server/jobs.ts'
import type { Static } from '../../../spec/static.ts'
import { get } from '../../lib/bounded.ts'
import { json, refuseV2, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { Running } from '../state/runs.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { runningOf } from '../world/derived.ts'
import { cancel, type Job, jobOf, polled } from '../world/jobs.ts'
import { queuePosition } from '../world/queue.ts'
import { jobLinks, type Origin, originOf, timeOrNull, timeText } from './links.ts'
import { outputsOf } from './outputs.ts'
import { progressOf } from './progress.ts'

const words: Readonly<Record<JobStatus, V2State>> = {
  pending: 'queued',
  in_progress: 'running',
  completed: 'succeeded',
  failed: 'failed',
  cancelled: 'canceled',
}

/** The state of a job, and its position in the queue. */
export type JobState = {
  readonly status: V2State
  readonly queue_position: number | null
  /** Null unless it is at work. */
  readonly running: Running | null
}

export function stateOf(world: World, { prompt_id, status }: Job): JobState {
  if (status === 'pending') {
    const run = world.state.pendingById.get(prompt_id)?.[0]
    const queue_position = run === undefined ? null : queuePosition(world, run)
    return { status: 'queued', queue_position, running: null }
  }
  const running = runningOf(world).find(({ run }) => run.prompt_id === prompt_id) ?? null
  const isStopping = running?.worker.interrupted === true
  const isExpired = status === 'cancelled' && get(world.state.v2.expired, prompt_id) !== undefined
  const word = isStopping ? 'canceling' : isExpired ? 'expired' : words[status]
  return { status: word, queue_position: null, running }
}

const LIFETIME_MS = JOB_LIFETIME_H * 3_600_000

/** A job as replies contain it. */
export function jobText(world: HostedWorld, job: Job, origin: Origin): string {
  const { prompt_id: id, createdMs, startedMs, entry } = job
  const { status, queue_position, running } = stateOf(world, job)
  const endedMs = entry?.endedMs ?? null
  const members: Static<typeof v2Job> = {
    id,
    status,
    created_at: timeText(world, createdMs),
    started_at: timeOrNull(world, startedMs),
    completed_at: timeOrNull(world, endedMs),
    expires_at: timeText(world, Math.max(createdMs + LIFETIME_MS, endedMs ?? 0)),
    queue_position,
    progress: running === null ? null : progressOf(running),
    outputs: [...outputsOf(world, job, origin)],
    error: errorOf(job),
    urls: jobLinks(world, origin, id),
    metrics: {
      queue_ms: startedMs === null ? null : Math.floor(startedMs - createdMs),
      execution_ms: startedMs === null || endedMs === null ? null : Math.floor(endedMs - startedMs),
    },
    metadata: get(world.state.v2.labels, id) ?? {},
  }
  // The journal recognizes a submit by how its reply begins.
  return JSON.stringify(members).replace(/^\{"id":("[^"]*"),"status":/, '{"id": $1, "status": ')
}

/** Why a job failed; null if it did not. */
function errorOf({ entry }: Job): Static<typeof v2JobError> | null {
  if (entry === null || entry.failureText === null) return null
  const { node_id, node_type, exception_message, traceback } = JSON.parse(entry.failureText) as {
    readonly [Name in 'node_id' | 'node_type' | 'exception_message']: string
  } & { readonly traceback: readonly string[] }
  return {
    code: 'node_execution_error',
    message: exception_message,
    node_id,
    class_type: node_type,
    traceback: traceback.length === 0 ? null : traceback.join(''),
  }
}

/** GET /jobs/{id}. */
export function job(world: HostedWorld, request: Request): Reply {
  const found = jobOf(world, request.segment)
  return found === undefined
    ? refuseV2('jobNotFound')
    : json(jobText(world, polled(found), originOf(request)))
}

/** GET /jobs/{id}/workflow. */
export function workflow(world: HostedWorld, { segment }: Request): Reply {
  const found = jobOf(world, segment)
  return found === undefined
    ? refuseV2('jobNotFound')
    : json(`{"workflow": ${found.run.graphText}, "format": "api"}`)
}

/** POST /jobs/{id}/cancel. */
export function cancelJob(world: HostedWorld, request: Request): Reply {
  if (jobOf(world, request.segment) !== undefined) cancel(world, [request.segment])
  return job(world, request)
}
