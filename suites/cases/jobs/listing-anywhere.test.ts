// The list of hosted jobs on any server: own jobs are found in it by their ids, or by the id of their workflow.

import { solid, talking } from '../../generate/graphs.ts'
import { cancelAll, keepBusy, newUuid } from '../../judge/hosted/busy-account.ts'
import { cancel, isOf, listed, listOf, submitAll, submitOne } from '../../judge/hosted/jobs.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** A job in each state, in the order of their submits. */
async function oneOfEach(subject: Subject): Promise<readonly (readonly [id: string, string])[]> {
  const session = await subject.connect()
  const completed = (await subject.run(session, solid())).prompt_id
  const { graph } = await subject.workloads.failing()
  const failed = (await subject.run(session, graph)).prompt_id
  const [running] = await keepBusy(subject)
  const [cancelled = '', pending = ''] = await submitAll(subject, ['a', 'b'].map(talking))
  await cancel(subject, cancelled)
  return [
    [completed, 'completed'],
    [failed, 'failed'],
    [running, 'in_progress'],
    [cancelled, 'cancelled'],
    [pending, 'pending'],
  ]
}

proves('jobs/listing', async (subject) => {
  const own = await oneOfEach(subject)
  const { jobs, pagination } = await listOf(subject, '?limit=1000')
  const found: readonly { readonly id: string; readonly status: string }[] = jobs.filter(
    (job: { readonly id: string }) => own.some(([id]) => id === job.id),
  )
  expect(found.map(({ id, status }) => [id, status])).toEqual(own.toReversed())
  expect(pagination).toMatchObject({ offset: 0, limit: 1000 })
  expect(pagination.total).toBeGreaterThanOrEqual(jobs.length)
  const usual = await listOf(subject)
  expect(usual.pagination).toMatchObject({ offset: 0, limit: 100 })
  const open = found.filter(({ status }) => /pending|progress/.test(status))
  for (const job of open) expect(job).not.toHaveProperty('execution_end_time')
})

proves(
  'jobs/listing',
  async (subject) => {
    const other = subject.as('other-key')
    const id = await submitOne(other, talking())
    expect(await listed(other, '?limit=1000')).toContain(id)
    expect(await listed(subject, '?limit=1000')).not.toContain(id)
  },
  twoAccounts,
)

proves('jobs/listing-filters', async (subject) => {
  const own = await oneOfEach(subject)
  for (const [id, word] of own) {
    const { jobs } = await listOf(subject, `?limit=1000&status=${word}`)
    expect([word, new Set(jobs.map((job: any) => job.status))]).toEqual([word, new Set([word])])
    expect(jobs.map((job: any) => job.id)).toContain(id)
  }
  const over = await listed(subject, '?limit=1000&status=cancelled,%20completed,failed')
  for (const [id, word] of own)
    expect([word, over.includes(id)]).toEqual([word, !/pending|progress/.test(word)])
  const workflow_id = newUuid(subject, 'filters')
  const mine = await submitAll(subject, ['a', 'b'].map(talking), { workflow_id })
  await submitAll(subject, [talking()], { workflow_id: newUuid(subject, 'others') })
  expect(await listed(subject, `?workflow_id=${workflow_id}`)).toEqual(mine.toReversed())
  expect((await subject.get(`/jobs/${mine[0]}`)).json().workflow_id).toBe(workflow_id)
  const completed = own.find(([, word]) => word === 'completed')?.[0] as string
  expect(await listed(subject, '?limit=1000&output_type=image')).toContain(completed)
  for (const type of ['video', 'audio', '3d'])
    expect(await listed(subject, `?limit=1000&output_type=${type}`)).not.toContain(completed)
})

proves('jobs/listing-order', async (subject) => {
  const session = await subject.connect()
  const workflow_id = newUuid(subject, 'order')
  const submit = async (graph: Parameters<Subject['submit']>[0]): Promise<string> =>
    (await subject.submit(graph, { workflow_id })).json().prompt_id
  const long = await submit(await subject.workloads.slow())
  await subject.reach(session, isOf('execution_success', long))
  const short = await submit(talking())
  await subject.reach(session, isOf('execution_success', short))
  const open = await submit(await subject.workloads.slow())
  const by = (query: string) => listed(subject, `?workflow_id=${workflow_id}&${query}`)
  expect(await by('sort_by=create_time&sort_order=desc')).toEqual([open, short, long])
  expect(await by('sort_by=create_time&sort_order=asc')).toEqual([long, short, open])
  // A job that has not ended has no running time yet.
  expect(await by('sort_by=execution_time&sort_order=desc')).toEqual([long, short, open])
  expect(await by('sort_by=execution_time&sort_order=asc')).toEqual([open, short, long])
  await cancelAll(subject, [open])
})

proves('jobs/listing-pages', async (subject) => {
  const workflow_id = newUuid(subject, 'pages')
  const graphs = ['a', 'b', 'c', 'd', 'e'].map(talking)
  const ids = (await submitAll(subject, graphs, { workflow_id })).toReversed()
  const pages = [
    [0, 1],
    [1, 2],
    [3, 2],
    [3, 3],
    [4, 1000],
    [5, 5],
    [1e6, 5],
  ] as const
  for (const [offset, limit] of pages) {
    const query = `?workflow_id=${workflow_id}&offset=${offset}&limit=${limit}`
    const { jobs, pagination } = await listOf(subject, query)
    expect(jobs.map(({ id }: { id: string }) => id)).toEqual(ids.slice(offset, offset + limit))
    const has_more = offset + limit < ids.length
    expect(pagination).toMatchObject({ offset, limit, total: ids.length, has_more })
  }
})

proves('jobs/listing-cursor', async (subject) => {
  const workflow_id = newUuid(subject, 'cursor')
  const graphs = ['a', 'b', 'c', 'd', 'e'].map(talking)
  const ids = (await submitAll(subject, graphs, { workflow_id })).toReversed()
  const walk = async (query: string): Promise<string[]> => {
    const walked: string[] = []
    for (let after = ''; ;) {
      const { jobs, pagination } = await listOf(
        subject,
        `?workflow_id=${workflow_id}&limit=2&${query}${after}`,
      )
      walked.push(...jobs.map(({ id }: { id: string }) => id))
      if (!pagination.has_more) {
        expect(pagination).not.toHaveProperty('next_cursor')
        return walked
      }
      expect([walked.length < ids.length, jobs.length]).toEqual([true, 2])
      after = `&after=${encodeURIComponent(pagination.next_cursor)}`
      // A job that arrives meanwhile shifts no page.
      if (walked.length === 2 && query === 'sort_order=desc')
        await submitAll(subject, [talking()], { workflow_id })
    }
  }
  expect(await walk('sort_order=asc')).toEqual(ids.toReversed())
  expect(await walk('sort_order=desc')).toEqual(ids)
})
