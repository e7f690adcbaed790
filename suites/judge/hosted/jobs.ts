// Requests about jobs and the history that many cases send to a hosted server.

import type { EmulatorOptions, ServerOptions } from 'flowdouble'
import type { tiers } from '../../../spec/server/access.ts'
import type { Deployment, Schema } from '../../../spec/language.ts'
import { hostedHistory, hostedHistoryById } from '../../../spec/server/history.ts'
import { cancelledJob, jobDetail, jobList, jobStatus } from '../../../spec/server/jobs.ts'
import type { Graph } from '../../generate/graphs.ts'
import { type Message, violations } from '../judge.ts'
import type { Subject } from '../subject.ts'
import type { Reply } from '../reply.ts'
import { expect } from '../expect.ts'

/** An id that belongs to no run and no asset. */
export const nobody = '00000000-0000-4000-8000-000000000000'

/** A list of jobs, as far as their ids. */
const idList: Schema = {
  type: 'object',
  required: ['jobs'],
  properties: {
    jobs: {
      type: 'array',
      items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    },
  },
}

type Account = ServerOptions['accounts'][number]

/** An account with one key and without restrictions. */
export const account = (key: string, tier: keyof typeof tiers = 'pro'): Account => ({
  user: `user-of-${key}`,
  keys: [key],
  tier,
  balance: 1000,
  subscription: 'active',
  partnerKey: null,
  failsWith: null,
})

/** One account that runs one job at a time, so that others wait. */
export const oneAtATime: readonly Account[] = [account('test-key', 'standard')]

/** Options of a world that runs one job at a time, as local always does. */
export const oneAtATimeOn = (deployment: Deployment): EmulatorOptions =>
  deployment === 'hosted' ? { deployment, accounts: oneAtATime } : { deployment }

/** The JSON of a reply with this status, or one of these, that fits the schema. */
export function fitting(
  schema: Schema,
  reply: Reply,
  status: number | readonly number[] = 200,
): any {
  const wanted = typeof status === 'number' ? status : expect.toBeOneOf([...status])
  expect([reply.status, reply.text]).toEqual([wanted, expect.any(String)])
  expect(violations(schema, reply.json())).toEqual([])
  return reply.json()
}

/** Submits graphs one after the other, and returns the ids of their runs. */
export async function submitAll(
  { submit }: Subject,
  graphs: readonly Graph[],
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string[]> {
  const ids: string[] = []
  for (const graph of graphs) ids.push((await submit(graph, fields)).json().prompt_id)
  return ids
}

/** Submits a graph and returns the id of its run. */
export const submitOne = async (subject: Subject, graph: Graph): Promise<string> =>
  (await submitAll(subject, [graph]))[0] as string

export const statusOf = async ({ get }: Subject, id: string) =>
  fitting(jobStatus, await get(`/job/${id}/status`))
export const wordOf = async (subject: Subject, id: string): Promise<string> =>
  (await statusOf(subject, id)).status
export const wordsOf = (subject: Subject, ids: readonly string[]): Promise<string[]> =>
  Promise.all(ids.map((id) => wordOf(subject, id)))
export const detailOf = async ({ get }: Subject, id: string) =>
  fitting(jobDetail, await get(`/jobs/${id}`))
export const listOf = async ({ get }: Subject, query = '') =>
  fitting(jobList, await get(`/jobs${query}`))
/** The jobs in a list. Only their ids are judged: the list may contain jobs of other cases. */
const unjudgedList = async ({ get }: Subject, query: string): Promise<readonly any[]> =>
  fitting(idList, await get(`/jobs${query}`)).jobs
/** The ids of the jobs in a list. */
export const listed = async (subject: Subject, query = ''): Promise<string[]> =>
  (await unjudgedList(subject, query)).map(({ id }) => id)
/** The entry of a job in the list. */
export async function listedJob(subject: Subject, id: string): Promise<any> {
  const entry = (await unjudgedList(subject, '?limit=1000')).find((one) => one.id === id)
  if (entry !== undefined) expect(violations(jobList.properties.jobs.items, entry)).toEqual([])
  return entry
}
/** Cancels a job, and returns whether this took effect. */
export const cancel = async ({ request }: Subject, id: string): Promise<boolean> =>
  fitting(cancelledJob, await request('POST', `/jobs/${id}/cancel`)).cancelled

/** Whether a message is of this type, and about this run. */
export const isOf =
  (type: string, id: string) =>
  (message: Message): boolean =>
    message.type === type && message.data['prompt_id'] === id

/** The entries that the history lists, newest first. */
export const historyOf = async ({ get }: Subject, query = ''): Promise<any[]> =>
  fitting(hostedHistory, await get(`/history${query}`)).history
/** Their ids. */
export const historyIds = async (subject: Subject, query = ''): Promise<string[]> =>
  (await historyOf(subject, query)).map(({ prompt_id }) => prompt_id)
/** The entry of a run. */
export const entryOf = async ({ get }: Subject, id: string) =>
  fitting(hostedHistoryById, await get(`/history/${id}`))[id]
