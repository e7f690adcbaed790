// How far runs are, as replies list them: the queue, histories and jobs, in the words of each API.

import { type JobStatus, rawStates } from '../../spec/server/jobs.ts'
import type { RunState } from '../journal/run-states.ts'
import { type ForeignJson, isMembers, listOf } from '../lib/loose.ts'

/** The words for the states of jobs. */
export const jobWords = {
  waiting: 'pending',
  started: 'in_progress',
  success: 'completed',
  error: 'failed',
  interrupted: 'cancelled',
} as const satisfies Readonly<Record<'waiting' | RunState, JobStatus>>

type Progress = keyof typeof jobWords

/** A run in a reply. */
export type ListedRun = {
  readonly id: string
  /** What the reply says of it. */
  readonly entry: ForeignJson
  /** Undefined for words that nobody knows. */
  readonly progress: Progress | undefined
}

const progresses: Readonly<Record<string, Progress>> = {
  ...Object.fromEntries(
    Object.entries(jobWords).map(([progress, word]) => [word, progress as Progress]),
  ),
  // The words of the hosted API v2.
  queued: 'waiting',
  running: 'started',
  canceling: 'started',
}

const raw: Readonly<Record<string, string>> = rawStates

const jobOf = (entry: ForeignJson): ListedRun => {
  const word = String(entry?.status)
  return { id: entry?.id, entry, progress: progresses[raw[word] ?? word] }
}

const ofHistory = (id: string, entry: ForeignJson): ListedRun => ({
  id,
  entry,
  // Hosted describes a run that is not over without its status.
  progress:
    entry?.status === undefined
      ? 'started'
      : entry.status?.status_str === 'error'
        ? 'error'
        : 'success',
})

const history = (body: ForeignJson): readonly ListedRun[] =>
  // A local history that lists a run named `history` holds an object there.
  Array.isArray(body.history)
    ? body.history.map((entry: ForeignJson) => ofHistory(entry?.prompt_id, entry))
    : Object.entries(body).map(([id, entry]) => ofHistory(id, entry))

const rows = (list: unknown, progress: Progress): readonly ListedRun[] =>
  listOf(list).map((entry: ForeignJson) => ({ id: entry?.[1], entry, progress }))

/** What the replies of an endpoint list. */
const readers: Readonly<Record<string, (body: ForeignJson) => readonly ListedRun[]>> = {
  readQueue: ({ queue_running, queue_pending }) => [
    ...rows(queue_running, 'started'),
    ...rows(queue_pending, 'waiting'),
  ],
  readHistory: history,
  readHistoryEntry: history,
  jobs: ({ jobs }) => listOf(jobs).map(jobOf),
  v2Jobs: ({ jobs }) => listOf(jobs).map(jobOf),
  job: (body) => [jobOf(body)],
  v2Job: (body) => [jobOf(body)],
  jobStatus: (body) => [jobOf(body)],
}

/** The runs that the body of a successful reply of an endpoint lists, by the name of the endpoint. */
export const listedIn = (endpoint: string | undefined, body: unknown): readonly ListedRun[] =>
  isMembers(body) && endpoint !== undefined && Object.hasOwn(readers, endpoint)
    ? (readers[endpoint]?.(body) ?? []).filter(({ id }) => typeof id === 'string')
    : []
