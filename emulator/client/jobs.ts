// What a hosted server tells about a job, in the words of either of its vocabularies.

import type { Verdict } from './outcome.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import type { Asked, RunState } from './records.ts'
import { findJson } from './server.ts'

/** Words for jobs that are over: those of the description, and the raw ones of some servers. Others go on. */
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

/** Where the job is. The short status is asked first; servers without it tell it with the whole job. */
export async function readJobState(asked: Asked): Promise<RunState> {
  const id = encodeURIComponent(asked.promptId)
  const short = fieldsOf(await findJson(asked.server, `/job/${id}/status`, asked.signal))
  const { status } = short ?? (await findJob(asked)) ?? {}
  if (status === undefined) return 'unknown'
  return endingOf(status) === undefined ? 'waiting' : 'finished'
}

/** A job that is over, as a history entry of the local form; undefined while there is none. */
export async function readJobEntry(asked: Asked): Promise<Fields | undefined> {
  const job = await findJob(asked)
  const ending = endingOf(job?.['status'])
  if (job === undefined || ending === undefined) return undefined
  const status = { completed: ending === 'success', messages: messagesOf(ending, job) }
  const status_str = ending === 'success' ? 'success' : 'error'
  return { outputs: job['outputs'], status: { status_str, ...status } }
}

async function findJob({ server, promptId, signal }: Asked): Promise<Fields | undefined> {
  return fieldsOf(await findJson(server, `/jobs/${encodeURIComponent(promptId)}`, signal))
}

const endingOf = (word: unknown): Verdict['outcome'] | undefined =>
  typeof word === 'string' && Object.hasOwn(endings, word) ? endings[word] : undefined

function messagesOf(ending: Verdict['outcome'], job: Fields): unknown[] {
  if (ending === 'interrupted') return [['execution_interrupted', {}]]
  const error = fieldsOf(job['execution_error'])
  return error === undefined ? [] : [['execution_error', error]]
}
