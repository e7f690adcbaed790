// Requests about jobs that cases send to a later local server.

import {
  localJobDetail,
  localJobEntry,
  localJobError,
  localJobList,
} from '../../../spec/server/local-jobs.ts'
import { cancelledJob } from '../../../spec/server/jobs.ts'
import { type Graph, talking } from '../../generate/graphs.ts'
import { expect } from '../expect.ts'
import { fitting } from '../hosted/jobs.ts'
import { violations } from '../judge.ts'
import { type AtWork, me, occupy, submitFor, uniqueId } from '../own-runs.ts'
import { endsRun } from '../responses.ts'
import type { Session } from '../client.ts'
import type { Subject } from '../subject.ts'

/** A list of jobs, of which those of others are not judged. */
const looseList = {
  ...localJobList,
  properties: { ...localJobList.properties, jobs: { type: 'array' } },
} as const

/** A list of jobs: its entries, and its pagination. */
export const listOf = async (
  { get }: Subject,
  query: string,
): Promise<{ readonly jobs: readonly any[]; readonly pagination: any }> =>
  fitting(looseList, await get(`/api/jobs${query}`))

export const detailOf = async ({ get }: Subject, id: string): Promise<any> =>
  fitting(localJobDetail, await get(`/api/jobs/${id}`))

/** Whether a cancel took effect. */
export const cancel = async ({ post }: Subject, id: string): Promise<boolean> =>
  fitting(cancelledJob, await post(`/api/jobs/${id}/cancel`, {})).cancelled

/** The error of a refused job request. */
export async function refusalOf(
  { request }: Subject,
  method: string,
  path: string,
  body?: string,
): Promise<{ readonly status: number; readonly error: string; readonly invalid_ids?: string[] }> {
  const reply = await request(method, path, body)
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: expect.any(Number) })
  expect(violations(localJobError, reply.json())).toEqual([])
  return { status: reply.status, ...reply.json() }
}

/** A client whose runs have a workflow id, by which they are found among those of others. */
export async function jobClient(subject: Subject) {
  const session = await me(subject)
  const workflow = uniqueId(subject, 'workflow')
  const own = `workflow_id=${encodeURIComponent(workflow)}`
  const fields = { extra_data: { extra_pnginfo: { workflow: { id: workflow } } } }
  const submit = (graph: Graph): Promise<string> => submitFor(subject, session, graph, fields)
  const run = async (graph: Graph): Promise<string> => {
    const id = await submit(graph)
    await subject.reach(session, endsRun('local', id))
    return id
  }
  /** The jobs of this client. */
  const list = async (query = ''): Promise<readonly any[]> => {
    const { jobs } = await listOf(subject, `?${own}${query === '' ? '' : `&${query}`}`)
    for (const job of jobs) expect(violations(localJobEntry, job)).toEqual([])
    return jobs
  }
  return { session, workflow, own, submit, run, list, fields }
}
export type JobClient = Awaited<ReturnType<typeof jobClient>>

/** Submits a slow run, and waits until it is at work. */
export const begin = (subject: Subject, { session, fields }: JobClient): Promise<AtWork> =>
  occupy(subject, session, {}, fields)

/** Interrupts a run by its job. */
export async function interrupt(subject: Subject, session: Session, id: string): Promise<void> {
  expect(await cancel(subject, id)).toBe(true)
  await subject.reach(session, endsRun('local', id))
}

/** A job in each state, in the order of their submits. The running one holds the pending one back. */
export async function oneOfEach(subject: Subject, client: JobClient) {
  const completed = await client.run(talking(subject.unique('completed')))
  const failed = await client.run((await subject.workloads.failing()).graph)
  const stopped = await begin(subject, client)
  await interrupt(subject, client.session, stopped.prompt_id)
  const held = await begin(subject, client)
  const pending = await client.submit(talking(subject.unique('pending')))
  const ids = {
    completed,
    failed,
    cancelled: stopped.prompt_id,
    in_progress: held.prompt_id,
    pending,
  }
  return { ids, held }
}
