// A hosted server's records of a job, in either of its vocabularies.

import type { Verdict } from './outcome.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import { expectObjects, findRecord, senseless } from './records.ts'
import type { RunLookup, RunState } from './records.ts'
import type { Server } from './server.ts'

/** Words for finished jobs: the documented ones, and the internal ones of some servers. */
const endings: Readonly<Record<string, Verdict['outcome']>> = {
  completed: 'success',
  success: 'success',
  failed: 'failed',
  error: 'failed',
  non_retryable_error: 'failed',
  lost: 'failed',
  cancelled: 'interrupted',
  canceled: 'interrupted',
}

/** Words for unfinished jobs, of either vocabulary. */
const goings: ReadonlySet<unknown> = new Set([
  'pending',
  'submitted',
  'waiting_to_dispatch',
  'queued_limited',
  'queued_waiting',
  'allocated',
  'preparing',
  'pending_execution',
  'in_progress',
  'running',
  'executing',
  'executed',
  'uploading',
  'erroring',
  'retryable_error',
  'cancel_requested',
  'cancel_pending',
  'cancelling_preparing',
])

/** The state of the job. Requests the short status first; servers without it report it with the whole job. */
export async function readJobState(asked: RunLookup): Promise<RunState> {
  for (const path of [shortPathOf(asked), jobPath(asked)]) {
    const record = await findRecord(asked, path)
    if (record !== undefined)
      return endingIn(asked.server, path, record) === undefined ? 'waiting' : 'finished'
  }
  return 'unknown'
}

/**
 * A finished job in the form of a local history entry; undefined before its end. Throws a
 * `protocol` failure for an invalid job.
 */
export async function readJobEntry(asked: RunLookup): Promise<Fields | undefined> {
  const path = jobPath(asked)
  const job = await findRecord(asked, path)
  const ending = job && endingIn(asked.server, path, job)
  if (job === undefined || ending === undefined) return undefined
  expectObjects(asked.server, path, job, ['outputs'])
  const status = { completed: ending === 'success', messages: messagesOf(ending, job) }
  const status_str = ending === 'success' ? 'success' : 'error'
  return { outputs: job['outputs'], status: { status_str, ...status } }
}

const jobPath = ({ promptId }: RunLookup): string => `/jobs/${encodeURIComponent(promptId)}`
const shortPathOf = ({ promptId }: RunLookup): string =>
  `/job/${encodeURIComponent(promptId)}/status`

/** How the job ended; undefined for an unfinished one. */
function endingIn(
  server: Server,
  path: string,
  { status }: Fields,
): Verdict['outcome'] | undefined {
  if (goings.has(status)) return undefined
  if (typeof status === 'string' && Object.hasOwn(endings, status)) return endings[status]
  throw senseless(server, path, { status }, 'that is not a job status')
}

function messagesOf(ending: Verdict['outcome'], job: Fields): unknown[] {
  if (ending === 'interrupted') return [['execution_interrupted', {}]]
  const error = fieldsOf(job['execution_error'])
  return error === undefined ? [] : [['execution_error', error]]
}
