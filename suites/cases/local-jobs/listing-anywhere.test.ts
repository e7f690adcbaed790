// The list of jobs of any later local server, which others may use at the same time: own jobs have the id of a workflow.

import { talking } from '../../generate/graphs.ts'
import {
  begin,
  interrupt,
  jobClient,
  listOf,
  oneOfEach,
  refusalOf,
} from '../../judge/later/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const idsOf = (jobs: readonly any[]): readonly string[] => jobs.map(({ id }) => id)

proves(['local-jobs/listing', 'local-jobs/status'], async (subject) => {
  const client = await jobClient(subject)
  const { ids, held } = await oneOfEach(subject, client)
  const listed = (await client.list()).map(({ id, status }) => [status, id])
  expect(listed).toEqual(Object.entries(ids).toReversed())
  const { jobs } = await listOf(subject, '')
  expect(idsOf(jobs)).toEqual(expect.arrayContaining(Object.values(ids)))
  await held.stop()
  await subject.idle()
  const words = (await client.list()).map(({ status }) => status)
  expect(words).toEqual(['completed', 'cancelled', 'cancelled', 'failed', 'completed'])
})

proves('local-jobs/listing-fields', async (subject) => {
  const client = await jobClient(subject)
  const { held } = await oneOfEach(subject, client)
  for (const job of await client.list()) {
    expect(Object.values(job)).not.toContain(null)
    const isOver = ['completed', 'failed', 'cancelled'].includes(job.status)
    const times = [job.execution_start_time, job.execution_end_time]
    expect({ status: job.status, isTimed: times.every(Number.isInteger) }).toEqual({
      status: job.status,
      isTimed: isOver,
    })
    if (!isOver)
      expect({ ...job, times }).toMatchObject({ outputs_count: 0, times: [undefined, undefined] })
    else expect(job.execution_end_time).toBeGreaterThanOrEqual(job.execution_start_time)
  }
  const reply = await subject.submit(talking(subject.unique('placed')), {
    ...client.fields,
    number: 7.5,
  })
  const placed = (await client.list()).find(({ id }) => id === reply.json().prompt_id)
  expect(placed).toMatchObject({ priority: 7.5, status: 'pending' })
  await held.stop()
})

proves('local-jobs/listing-filters', async (subject) => {
  const client = await jobClient(subject)
  const { ids, held } = await oneOfEach(subject, client)
  for (const [status, id] of Object.entries(ids))
    expect(idsOf(await client.list(`status=${status}`))).toEqual([id])
  const { completed, failed, cancelled } = ids
  expect(idsOf(await client.list('status=%20COMPLETED%20,,Failed'))).toEqual([failed, completed])
  expect(await client.list('status=,')).toEqual([])
  expect(await client.list('status=')).toHaveLength(5)
  expect(await client.list('output_type=image&after=x')).toHaveLength(5)
  const nowhere = await listOf(subject, `?workflow_id=not-${client.workflow}`)
  expect(nowhere).toMatchObject({ jobs: [], pagination: { total: 0, has_more: false } })
  const everyone = idsOf((await listOf(subject, '?workflow_id=&status=cancelled')).jobs)
  expect(everyone).toContain(cancelled)
  await held.stop()
})

proves('local-jobs/listing-order', async (subject) => {
  const client = await jobClient(subject)
  const quick = await client.run(talking(subject.unique('quick')))
  const slow = await begin(subject, client)
  await interrupt(subject, client.session, slow.prompt_id)
  const last = await client.run(talking(subject.unique('last')))
  const all = [quick, slow.prompt_id, last]
  expect(idsOf(await client.list('sort_order=ASC'))).toEqual(all)
  expect(idsOf(await client.list('sort_by=Created_At'))).toEqual(all.toReversed())
  const durations = (jobs: readonly any[]): readonly number[] =>
    jobs.map(
      ({ execution_start_time, execution_end_time }) => execution_end_time - execution_start_time,
    )
  const longest = durations(await client.list('sort_by=execution_duration'))
  expect(longest).toEqual(longest.toSorted((a, b) => b - a))
  const shortest = durations(await client.list('sort_by=EXECUTION_DURATION&sort_order=asc'))
  expect(shortest).toEqual(shortest.toSorted((a, b) => a - b))
})

proves('local-jobs/listing-pages', async (subject) => {
  const client = await jobClient(subject)
  const ids: string[] = []
  for (const name of ['one', 'two', 'three'])
    ids.push(await client.run(talking(subject.unique(name))))
  const [three, two, one] = ids.toReversed()
  const page = async (query: string) => {
    const { jobs, pagination } = await listOf(subject, `?${client.own}${query}`)
    return { ids: idsOf(jobs), pagination }
  }
  const whole = { offset: 0, limit: null, total: 3, has_more: false }
  expect(await page('')).toEqual({ ids: [three, two, one], pagination: whole })
  expect(await page('&limit=2')).toEqual({
    ids: [three, two],
    pagination: { offset: 0, limit: 2, total: 3, has_more: true },
  })
  expect(await page('&limit=2&offset=2')).toEqual({
    ids: [one],
    pagination: { offset: 2, limit: 2, total: 3, has_more: false },
  })
  expect(await page('&offset=1')).toEqual({
    ids: [two, one],
    pagination: { offset: 1, limit: null, total: 3, has_more: false },
  })
  expect(await page('&limit=100000&offset=-3')).toEqual({
    ids: [three, two, one],
    pagination: { ...whole, limit: 100_000 },
  })
  expect(await page('&offset=9')).toEqual({ ids: [], pagination: { ...whole, offset: 9 } })
})

const words = 'pending, in_progress, completed, failed, cancelled'
proves('local-jobs/listing-refusals', async (subject) => {
  const cases: readonly (readonly [query: string, error: string])[] = [
    ['status=foo', `Invalid status value(s): foo. Valid values: ${words}`],
    ['status=failed,Foo,bar', `Invalid status value(s): foo, bar. Valid values: ${words}`],
    ['sort_by=create_time', "sort_by must be 'created_at' or 'execution_duration'"],
    ['sort_by=execution_time', "sort_by must be 'created_at' or 'execution_duration'"],
    ['sort_order=up', "sort_order must be 'asc' or 'desc'"],
    ['limit=0', 'limit must be a positive integer'],
    ['limit=-1', 'limit must be a positive integer'],
    ['limit=many', 'limit must be an integer'],
    ['limit=', 'limit must be an integer'],
    ['limit=1.5', 'limit must be an integer'],
    ['offset=x', 'offset must be an integer'],
    ['offset=', 'offset must be an integer'],
    ['offset=x&limit=0&sort_order=up', "sort_order must be 'asc' or 'desc'"],
    ['offset=x&limit=0', 'limit must be a positive integer'],
  ]
  for (const [query, error] of cases)
    expect(await refusalOf(subject, 'GET', `/api/jobs?${query}`)).toEqual({ status: 400, error })
})

proves('local-jobs/not-on-local', async (subject) => {
  const { run } = await jobClient(subject)
  const id = await run(talking(subject.unique('kept')))
  const answer = async (method: string, path: string) => {
    const { status, headers } = await subject.request(method, path)
    return [method, path, status, headers['allow']?.split(',').toSorted().join()]
  }
  const refused: readonly (readonly [string, string])[] = [
    ['POST', '/api/jobs'],
    ['DELETE', `/api/jobs/${id}`],
  ]
  for (const [method, path] of refused)
    expect(await answer(method, path)).toEqual([method, path, 405, 'GET,HEAD'])
  for (const path of [
    `/api/jobs/${id}/assets`,
    `/api/job/${id}/status`,
    '/api/history_v2',
    '/jobs',
  ])
    expect(await answer('GET', path)).toEqual(['GET', path, 404, undefined])
})
