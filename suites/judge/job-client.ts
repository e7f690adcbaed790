// A client of the jobs of either deployment, whose paths and schemas differ. Its runs have the id of a workflow, by which they
// are found among those of others.

import { localJobDetail, localJobEntry, localJobList } from '../../spec/server/local-jobs.ts'
import { cancelledJob, jobDetail, jobList } from '../../spec/server/jobs.ts'
import type { Deployment, Schema } from '../../spec/language.ts'
import { type Graph, talking } from '../generate/graphs.ts'
import type { Session } from './client.ts'
import { expect } from './expect.ts'
import { newUuid } from './hosted/busy-account.ts'
import { fitting } from './hosted/jobs.ts'
import { violations } from './judge.ts'
import { type AtWork, me, occupy, shown, submitFor } from './own-runs.ts'
import { endsRun } from './responses.ts'
import type { Subject } from './subject.ts'

type Dialect = {
  readonly path: string
  readonly list: Schema
  readonly entry: Schema
  readonly detail: Schema
  /** The members of a submit that give its run this workflow id. */
  readonly named: (id: string) => Readonly<Record<string, unknown>>
}

/** A list of jobs, of which those of others are not judged. */
const loose = (list: typeof localJobList | typeof jobList): Schema => ({
  ...list,
  properties: { ...list.properties, jobs: { type: 'array' } },
})

const dialects: Readonly<Record<Deployment, Dialect>> = {
  local: {
    path: '/api/jobs',
    list: loose(localJobList),
    entry: localJobEntry,
    detail: localJobDetail,
    named: (id) => ({ extra_data: { extra_pnginfo: { workflow: { id } } } }),
  },
  hosted: {
    path: '/jobs',
    list: loose(jobList),
    entry: jobList.properties.jobs.items,
    detail: jobDetail,
    named: (workflow_id) => ({ workflow_id }),
  },
}

/** A list of jobs: its entries, and its pagination. */
export type JobPage = { readonly jobs: readonly any[]; readonly pagination: any }

export type JobClient = {
  readonly session: Session
  /** The workflow id of its runs. */
  readonly workflow: string
  /** What its submits have besides the graph. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The path of the list. */
  readonly path: string
  readonly submit: (graph: Graph) => Promise<string>
  /** Submits a graph and waits for the end of its run. */
  readonly run: (graph: Graph) => Promise<string>
  /** Submits a slow run, and waits until it is at work. */
  readonly begin: () => Promise<AtWork>
  /** A page of the list with the jobs of everybody. */
  readonly everyone: (query?: string) => Promise<JobPage>
  /** A page of the list with the jobs of this client. */
  readonly page: (query?: string) => Promise<JobPage>
  /** The jobs of this client, and their ids. */
  readonly list: (query?: string) => Promise<readonly any[]>
  readonly ids: (query?: string) => Promise<readonly string[]>
  readonly detail: (id: string) => Promise<any>
  /** Whether a cancel took effect. */
  readonly cancel: (id: string) => Promise<boolean>
}

export const idsOf = (jobs: readonly any[]): readonly string[] => jobs.map(({ id }) => id)

export async function jobClient(subject: Subject): Promise<JobClient> {
  const { deployment, get, post, reach } = subject
  const { path, named, ...schemas } = dialects[deployment]
  const session = await me(subject)
  const workflow = newUuid(subject, 'workflow')
  const fields = named(workflow)
  const submit: JobClient['submit'] = (graph) => submitFor(subject, session, graph, fields)
  const everyone: JobClient['everyone'] = async (query = '') =>
    fitting(schemas.list, await get(`${path}?${query}`))
  const page: JobClient['page'] = async (query = '') => {
    const found = await everyone(`workflow_id=${workflow}${query === '' ? '' : `&${query}`}`)
    for (const job of found.jobs) expect(violations(schemas.entry, job)).toEqual([])
    return found
  }
  const list: JobClient['list'] = async (query) => (await page(query)).jobs
  return {
    session,
    workflow,
    fields,
    path,
    submit,
    run: async (graph) => {
      const id = await submit(graph)
      await reach(session, endsRun(deployment, id))
      return id
    },
    begin: () => occupy(subject, session, {}, fields),
    everyone,
    page,
    list,
    ids: async (query) => idsOf(await list(query)),
    detail: async (id) => fitting(schemas.detail, await get(`${path}/${id}`)),
    cancel: async (id) => fitting(cancelledJob, await post(`${path}/${id}/cancel`, {})).cancelled,
  }
}

/** A job in each state, in the order of their submits. The running one holds the pending one back. */
export async function oneOfEach(subject: Subject, client: JobClient) {
  const completed = await client.run(shown(subject, 'completed'))
  const failed = await client.run((await subject.workloads.failing()).graph)
  const { prompt_id: cancelled, stop } = await client.begin()
  await stop()
  const held = await client.begin()
  const pending = await client.submit(talking(subject.unique('pending')))
  return { ids: { completed, failed, cancelled, in_progress: held.prompt_id, pending }, held }
}
