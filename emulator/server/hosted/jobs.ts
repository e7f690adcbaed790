// The jobs of an account [jobs/*]: its pending, running and finished runs, in the form of a hosted server.

import {
  type executionError,
  type jobDetail,
  type jobEntry,
  jobLimits,
  type jobStatus as jobStatusSchema,
  mediaTypes,
  type RawState,
} from '../../../spec/server/jobs.ts'
import type { Static } from '../../../spec/static.ts'
import { get, put } from '../../lib/bounded.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  copyText,
  readJson,
  writeJson,
} from '../../lib/json.ts'
import { badRequest, json, noContent, refuseHosted, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { removeEntry } from '../world/history.ts'
import { queuePosition } from '../world/queue.ts'
import { momentOf } from '../world/derived.ts'
import type { HistoryEntry } from '../state/runs.ts'
import type { Server } from '../state/server.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { cancel, type Job, jobOf, polled } from '../world/jobs.ts'
import { isTexts, readClosed } from './clear-and-delete.ts'

/** Whether a text has the form of a job id. */
export const isUuid = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id)

/** The refusal of a change with an id that is not a UUID. */
export const badId: Reply = badRequest('The id of a job is a UUID.')

/** The job that a path names, or the refusal if the account cannot see it. */
function jobAt(world: World, { segment }: Request, { worlds }: Server): Job | Reply {
  const found = jobOf(world, segment)
  if (found !== undefined) return polled(found)
  const isForeign =
    world.setup.quirks.has('hosted.foreign-job-403') &&
    worlds.some((other) => other !== world && jobOf(other, segment) !== undefined)
  return refuseHosted(isForeign ? 'foreignJob' : 'notFound')
}

const isoText = (world: World, ms: number): string =>
  `"${new Date(momentOf(world, ms)).toISOString()}"`
const timeText = (world: World, ms: number | null | undefined): string | undefined =>
  ms === null || ms === undefined ? undefined : `${momentOf(world, ms)}`

/** When the state of a job last changed. */
const updatedMs = ({ entry, startedMs, createdMs }: Job): number =>
  entry?.endedMs ?? startedMs ?? createdMs

/** The JSON text of an object from the texts of its members; omits undefined ones. */
const objectText = (members: Readonly<Record<string, string | undefined>>): string => {
  const texts: string[] = []
  for (const name in members) {
    const text = members[name]
    if (text !== undefined) texts.push(`"${name}": ${text}`)
  }
  return `{${texts.join(', ')}}`
}

/** The texts of the members of an object, by its schema. */
type Texts<S> = { readonly [Name in keyof Static<S>]?: string | undefined }

/** GET /job/{id}/status: the word for the state of a run. */
export function jobStatus(world: World, request: Request, server: Server): Reply {
  const job = jobAt(world, request, server)
  if ('headers' in job) return job
  const isRaw = world.setup.quirks.has('hosted.status-raw-states')
  const updated = isoText(world, updatedMs(job))
  const error = executionErrorOf(job)
  return json(
    objectText({
      id: JSON.stringify(job.prompt_id),
      status: `"${isRaw ? rawState(world, job) : job.status}"`,
      created_at: isoText(world, job.createdMs),
      updated_at: updated,
      last_state_update: updated,
      assigned_inference: 'null',
      error_message: error === undefined ? 'null' : JSON.stringify(objectText(errorMessage(error))),
    } satisfies Texts<typeof jobStatusSchema>),
  )
}

function rawState(world: World, job: Job): RawState {
  if (job.entry !== null) return job.entry.state === 'interrupted' ? 'cancelled' : job.entry.state
  if (job.startedMs !== null) return 'executing'
  return heldPlace(world, job.prompt_id) === undefined ? 'submitted' : 'queued_limited'
}

/** The position, from 1, of a pending job among those without a free worker; undefined if one is free. */
function heldPlace(world: World, id: string): number | undefined {
  const run = world.state.pendingById.get(id)?.[0]
  if (run === undefined) return undefined
  const free = world.state.workers.filter(({ running }) => running === null).length
  const place = queuePosition(world, run) - free
  return place > 0 ? place : undefined
}

/** The reason why a job failed, as the members of an execution_error; undefined if it did not fail. */
function executionErrorOf({ entry }: Job): Texts<typeof executionError> | undefined {
  if (entry === null || entry.failureText === null) return undefined
  const failure = readJson(entry.failureText) as JsonObject
  const memberText = (name: string): string => writeJson(failure.get(name) ?? null)
  const outputs = failure.get('current_outputs')
  return {
    node_id: memberText('node_id'),
    node_type: memberText('node_type'),
    exception_message: memberText('exception_message'),
    exception_type: memberText('exception_type'),
    traceback: memberText('traceback'),
    current_inputs: memberText('current_inputs'),
    // The message on the socket lists ids there.
    current_outputs: isObject(outputs) ? writeJson(outputs) : '{}',
    node_errors: failure.has('node_errors') ? memberText('node_errors') : undefined,
  }
}

/** The members of that error that the job status contains too. */
const errorMessage = ({
  exception_message,
  exception_type,
  node_id,
  node_type,
  traceback,
}: Texts<typeof executionError>): Texts<typeof executionError> => ({
  exception_message,
  exception_type,
  node_id,
  node_type,
  traceback,
})

/** A summary of the outputs of a finished run. */
type Files = {
  readonly count: number
  readonly previewableCount: number
  /** The media types of the outputs. */
  readonly mediaTypes: ReadonlySet<string>
  /** The preview output, as JSON text: the first saved one, or else the first. */
  readonly previewText: string | undefined
}

/** Outputs never change: each is read once, when it is first requested. */
const known = new WeakMap<HistoryEntry, Files>()

function outputFiles(entry: HistoryEntry): Files {
  const found = known.get(entry) ?? readFiles(entry)
  known.set(entry, found)
  return found
}

function readFiles({ outputsText }: HistoryEntry): Files {
  const types: string[] = []
  let count = 0
  let shown: JsonObject | undefined
  for (const [node_id, output] of readJson(outputsText) as JsonObject) {
    for (const [key, items] of output as JsonObject) {
      for (const item of Array.isArray(items) ? items : []) {
        if (!isObject(item) || !item.has('filename')) continue
        count++
        if (Object.hasOwn(mediaTypes, key)) types.push(mediaTypes[key as keyof typeof mediaTypes])
        const isFirst = shown === undefined
        const isFirstSaved = shown?.get('type') !== 'output' && item.get('type') === 'output'
        if (isFirst || isFirstSaved) shown = withPlace(item, node_id, key)
      }
    }
  }
  return {
    count,
    previewableCount: types.length,
    mediaTypes: new Set(types),
    previewText: shown && copyText(writeJson(shown)),
  }
}

const withPlace = (item: JsonObject, nodeId: string, mediaType: string): JsonObject =>
  new Map<string, Json>([...item, ['nodeId', nodeId], ['mediaType', mediaType]])

/** Whether a job has completed and has an output of that media type. */
export const hasOutputOf = ({ entry, status }: Job, mediaType: string): boolean =>
  entry !== null && status === 'completed' && outputFiles(entry).mediaTypes.has(mediaType)

/** The members that the list and the detail share. */
function summary(world: World, job: Job): Texts<typeof jobEntry> {
  const error = executionErrorOf(job)
  const { entry, run } = job
  const files = entry === null ? undefined : outputFiles(entry)
  const startMs = entry === null || job.startedMs === null ? undefined : job.startedMs
  return {
    id: JSON.stringify(job.prompt_id),
    status: `"${job.status}"`,
    create_time: timeText(world, job.createdMs),
    workflow_id: run.workflow_id === null ? undefined : JSON.stringify(run.workflow_id),
    execution_error: error && objectText(error),
    preview_output: files?.previewText,
    outputs_count: files && `${files.count}`,
    previewable_outputs_count: files && `${files.previewableCount}`,
    execution_start_time: timeText(world, startMs),
    execution_end_time: timeText(world, startMs === undefined ? undefined : entry?.endedMs),
  }
}

/** A job in the list, as JSON text. */
export const summaryText = (world: World, job: Job): string => objectText(summary(world, job))

/** GET /jobs/{id}: all details of a run. */
export function job(world: World, request: Request, server: Server): Reply {
  const found = jobAt(world, request, server)
  if ('headers' in found) return found
  const { run, entry, startedMs } = found
  const { graphText, extraDataText } = run
  const place = heldPlace(world, found.prompt_id)
  return json(
    objectText(
      Object.assign(summary(world, found), {
        update_time: timeText(world, updatedMs(found)),
        workflow: `{"prompt": ${graphText}, "extra_data": ${extraDataText}}`,
        execution_start_time: timeText(world, startedMs),
        outputs: entry?.outputsText,
        execution_status: entry?.statusText,
        execution_meta: entry?.metaText,
        queue_reason: place === undefined ? 'null' : '"concurrency_limit"',
        queue_position: place === undefined ? 'null' : `${place}`,
      }) satisfies Texts<typeof jobDetail>,
    ),
  )
}

/** DELETE /jobs/{id}: removes a finished job. An unfinished one stays, without an error. */
export function deleteJob(world: HostedWorld, { segment }: Request): Reply {
  if (!isUuid(segment)) return badId
  const found = jobOf(world, segment)
  if (found === undefined && get(world.state.deletedJobs, segment) === undefined)
    return refuseHosted('notFound')
  if (found?.entry) {
    removeEntry(world, segment)
    put(world.state.deletedJobs, segment, true)
  }
  return noContent
}

/** POST /jobs/{id}/cancel. */
export function cancelJob(world: World, { segment }: Request): Reply {
  if (!isUuid(segment)) return badId
  if (jobOf(world, segment) === undefined) return refuseHosted('notFound')
  return json(`{"cancelled": ${cancel(world, [segment]).length > 0}}`)
}

/** POST /jobs/cancel: cancels all named jobs, or none if one of them is unknown. */
export function cancelJobs(world: World, request: Request): Reply {
  const ids = readClosed(request, ['job_ids'])?.get('job_ids')
  if (!isTexts(ids) || ids.length === 0 || ids.length > jobLimits.cancel || !ids.every(isUuid)) {
    const reason = `The body has 1 to ${jobLimits.cancel} ids of jobs as job_ids, and no other key.`
    return badRequest(reason)
  }
  if (!ids.every((id) => jobOf(world, id) !== undefined)) return refuseHosted('notFound')
  return json(JSON.stringify({ cancelled: cancel(world, ids) }))
}
