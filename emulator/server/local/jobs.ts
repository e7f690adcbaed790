// The jobs of a local server [local-jobs/*]: a view of its queue and its history.

import { get } from '../../lib/bounded.ts'
import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import { pythonText } from '../../lib/python.ts'
import { isCanonicalUuid } from '../../lib/uuid.ts'
import { json, refuse, type Reply } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import type { JobStatus } from '../../../spec/server/jobs.ts'
import type { HistoryEntry, Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { endedStatuses, momentOf, runningOf } from '../world/derived.ts'
import { findEntries, isFound, isRecorded, unrecordedEntries } from '../world/history.ts'
import { interruptWorker, listedOf, restIdleWorkers } from '../world/queue.ts'
import { type JobOutputs, jobOutputs, normalisedOutputs } from './job-outputs.ts'
import { removePending } from './queue.ts'

/** A run in the queue or in the history, as a job. */
export type LocalJob = {
  readonly id: string
  readonly status: JobStatus
  readonly run: Pick<HistoryEntry, 'numberText' | 'graphText' | 'extraDataText'>
  readonly createdMs: number
  /** Its entry in the history; null until it has one. */
  readonly entry: HistoryEntry | null
}

const openJob = (run: Run, status: JobStatus): LocalJob => ({
  id: run.prompt_id,
  status,
  run,
  createdMs: run.submittedAtMs,
  entry: null,
})
/** A run that has ended, and that the records still show as running. */
const unrecordedJob = (run: HistoryEntry): LocalJob => ({
  id: run.prompt_id,
  status: 'in_progress',
  run,
  createdMs: run.createdMs,
  entry: null,
})
const endedJob = (entry: HistoryEntry): LocalJob => ({
  id: entry.prompt_id,
  status: endedStatuses[entry.state],
  run: entry,
  createdMs: entry.createdMs,
  entry,
})

/** All jobs: the running ones, then the pending ones in the order of the queue, then the history. */
export const localJobsOf = (world: World): readonly LocalJob[] => [
  ...unrecordedEntries(world).map(unrecordedJob),
  ...runningOf(world).map(({ run }) => openJob(run, 'in_progress')),
  ...listedOf(world).map((run) => openJob(run, 'pending')),
  ...findEntries(world).map(endedJob),
]

/** The job of an id, that of the history first; undefined if no run has it. */
function jobOf(world: World, id: string): LocalJob | undefined {
  const entry = get(world.state.history, id)
  const isEnded = entry !== undefined && isRecorded(world, entry)
  if (isEnded && isFound(world, entry)) return endedJob(entry)
  const running = runningOf(world).find(({ run }) => run.prompt_id === id)
  if (running !== undefined) return openJob(running.run, 'in_progress')
  const pending = world.state.pendingById.get(id)?.[0]
  if (pending !== undefined) return openJob(pending, 'pending')
  return entry === undefined || isEnded ? undefined : unrecordedJob(entry)
}

/** How long a job ran, in milliseconds; 0 if it has not. */
export const durationMs = ({ entry }: LocalJob): number =>
  entry === null || entry.startedMs === null ? 0 : entry.endedMs - entry.startedMs

/** What the texts of a run say about its job. A text never changes, so it is read once. */
const workflowIds = new WeakMap<LocalJob['run'], Json>()

/** The id of the editor's workflow from which a job was submitted; null without one. */
export function workflowIdOf({ run }: LocalJob): Json {
  const known = workflowIds.get(run)
  if (known !== undefined) return known
  const member = (value: Json | undefined, name: string): Json | undefined =>
    isObject(value) ? value.get(name) : undefined
  const info = member(readJson(run.extraDataText), 'extra_pnginfo')
  const id = member(member(info, 'workflow'), 'id') ?? null
  workflowIds.set(run, id)
  return id
}

type Ended = { readonly outputs: JobOutputs; readonly errorText: string | undefined }
const known = new WeakMap<HistoryEntry, Ended>()

function endedOf({ setup: { traits } }: World, entry: HistoryEntry): Ended {
  const found = known.get(entry) ?? {
    outputs: jobOutputs(readJson(entry.outputsText) as JsonObject, traits.prefersMedia),
    errorText: entry.state === 'error' ? errorText(entry) : undefined,
  }
  known.set(entry, found)
  return found
}

/** The data of the message about the error that ended a run. */
function errorText({ statusText }: HistoryEntry): string | undefined {
  const messages = (readJson(statusText) as JsonObject).get('messages') as readonly Json[][]
  const data = messages.find(([type]) => type === 'execution_error')?.[1]
  return data === undefined ? undefined : writeJson(data)
}

/** The members of a job, each as JSON text. */
function members(world: World, job: LocalJob): Readonly<Record<string, string | undefined>> {
  const { entry } = job
  const time = (ms: number | null | undefined): string | undefined =>
    ms === null || ms === undefined ? undefined : `${momentOf(world, ms)}`
  const ended = entry === null ? undefined : endedOf(world, entry)
  const workflowId = workflowIdOf(job)
  return {
    id: JSON.stringify(job.id),
    status: `"${job.status}"`,
    priority: job.run.numberText,
    create_time: time(job.createdMs),
    execution_start_time: time(entry?.startedMs),
    execution_end_time: time(entry?.endedMs),
    execution_error: ended?.errorText,
    outputs_count: `${ended?.outputs.count ?? 0}`,
    previewable_outputs_count: world.setup.traits.prefersMedia
      ? `${ended?.outputs.previewableCount ?? 0}`
      : undefined,
    preview_output: ended?.outputs.previewText,
    workflow_id: workflowId === null ? undefined : writeJson(workflowId),
  }
}

const objectText = (texts: Readonly<Record<string, string | undefined>>): string => {
  const found: string[] = []
  for (const name in texts) if (texts[name] !== undefined) found.push(`"${name}": ${texts[name]}`)
  return `{${found.join(', ')}}`
}

/** A job in the list, as JSON text. */
export const localJobText = (world: World, job: LocalJob): string => objectText(members(world, job))

/** GET /api/jobs/{id}: a job with its outputs and its workflow. */
export function localJob(world: World, { segment }: Request): Reply {
  const job = jobOf(world, segment)
  if (job === undefined) return refuse('jobUnknown')
  const { run, entry } = job
  const showsWorkflow = entry !== null || world.setup.traits.showsOpenWorkflows
  return json(
    objectText(
      Object.assign(members(world, job), {
        outputs:
          entry === null
            ? undefined
            : writeJson(normalisedOutputs(readJson(entry.outputsText) as JsonObject)),
        execution_status: entry?.statusText,
        workflow: showsWorkflow
          ? `{"prompt": ${run.graphText}, "extra_data": ${run.extraDataText}}`
          : undefined,
      }),
    ),
  )
}

const cancelled = (isCancelled: boolean): Reply => json(`{"cancelled": ${isCancelled}}`)

/** Interrupts the running job of an id, or else removes a pending one; false if it finds neither. */
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
