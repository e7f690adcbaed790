// The pages of a list of jobs of either deployment, and the values of a list that are refused.

import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, type Row } from '../../judge/rows.ts'
import { refusal } from '../../judge/hosted/refusals.ts'
import { idsOf, jobClient } from '../../judge/job-client.ts'

/** Queries of pages, with the offset and the limit that they name. */
type Page = readonly [query: string, offset: number, limit: number | null]
const pages: readonly Page[] = [
  ['limit=1', 0, 1],
  ['offset=1&limit=2', 1, 2],
  ['limit=2&offset=2', 2, 2],
  ['limit=1000', 0, 1000],
  ['offset=3&limit=5', 3, 5],
  ['offset=1000000&limit=5', 1e6, 5],
]
/** What a page has where its query does not say it. */
const defaults = {
  local: [
    ['', 0, null],
    ['offset=1', 1, null],
    ['limit=100000&offset=-3', 0, 100_000],
  ],
  hosted: [
    ['', 0, 100],
    ['offset=1', 1, 100],
  ],
} as const

for (const rule of ['jobs/listing-pages', 'local-jobs/listing-pages'] as const)
  proves(rule, async (subject) => {
    const client = await jobClient(subject)
    const ids: string[] = []
    for (const name of ['one', 'two', 'three'])
      ids.unshift(await client.run(talking(subject.unique(name))))
    for (const [query, offset, limit] of [...pages, ...defaults[subject.deployment]]) {
      const { jobs, pagination } = await client.page(query)
      const end = limit === null ? ids.length : offset + limit
      expect({ query, ids: idsOf(jobs) }).toEqual({ query, ids: ids.slice(offset, end) })
      const has_more = end < ids.length
      expect(pagination).toMatchObject({ offset, limit, total: ids.length, has_more })
    }
  })

proves('jobs/listing-cursor', async (subject) => {
  const { submit, page, workflow } = await jobClient(subject)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await submit(talking(name)))
  const walk = async (query: string): Promise<string[]> => {
    const walked: string[] = []
    for (let after = ''; ;) {
      const { jobs, pagination } = await page(`limit=2&${query}${after}`)
      walked.push(...idsOf(jobs))
      if (!pagination.has_more) {
        expect(pagination).not.toHaveProperty('next_cursor')
        return walked
      }
      expect([walked.length < ids.length, jobs.length]).toEqual([true, 2])
      after = `&after=${encodeURIComponent(pagination.next_cursor)}`
      // A job that arrives meanwhile shifts no page.
      if (walked.length === 2 && query === 'sort_order=desc') await submit(talking(workflow))
    }
  }
  expect(await walk('sort_order=asc')).toEqual(ids)
  expect(await walk('sort_order=desc')).toEqual(ids.toReversed())
})

proves('http/hosted-empty-parameter', async (subject) => {
  const { prompt_id } = (await subject.submit(talking())).json()
  await subject.idle()
  const all = ['limit', 'offset', 'status', 'workflow_id', 'output_type', 'sort_by', 'sort_order']
  for (const [path, names] of [
    ['/jobs', [...all, 'after']],
    ['/history', ['max_items', 'offset']],
  ] as const) {
    const { text } = await subject.get(path)
    expect(text).toContain(prompt_id)
    const queries = [...names.map((name) => `${name}=`), `${names.join('=&')}=`, names[0]]
    await exchanges(
      subject,
      queries.map((query): Row => ['GET', `${path}?${query}`, undefined, 200, text]),
    )
  }
})

proves('jobs/listing-refusals', async (subject) => {
  const bad: Readonly<Record<string, readonly string[]>> = {
    limit: ['0', '1001', '-1', '1.5', 'x', '1e2', ' 5', '99999999999999999999'],
    offset: ['-1', 'x', '0.5', '0x10'],
    status: ['done', 'success', 'pending,,failed', 'PENDING', 'toString'],
    output_type: ['images', 'text', '__proto__'],
    sort_by: ['id', 'updated'],
    sort_order: ['up', 'ASC'],
    after: ['nonsense', 'job-', 'job--1', 'job-zzzzzzzzzzzz'],
  }
  const refused = Object.entries(bad).flatMap(([name, values]) =>
    values.map((value): Row => [
      'GET',
      `/jobs?${name}=${value}`,
      undefined,
      400,
      refusal('BAD_REQUEST'),
    ]),
  )
  const fine = ['limit=1000', 'offset=0', 'sort_order=asc', 'other=1']
  await exchanges(subject, [
    ...refused,
    ...fine.map((query): Row => ['GET', `/jobs?${query}`, undefined, 200]),
  ])
})

const words = 'pending, in_progress, completed, failed, cancelled'
const localRefusals: Readonly<Record<string, readonly string[]>> = {
  [`Invalid status value(s): foo. Valid values: ${words}`]: ['status=foo'],
  [`Invalid status value(s): foo, bar. Valid values: ${words}`]: ['status=failed,Foo,bar'],
  "sort_by must be 'created_at' or 'execution_duration'": [
    'sort_by=create_time',
    'sort_by=execution_time',
  ],
  "sort_order must be 'asc' or 'desc'": ['sort_order=up', 'offset=x&limit=0&sort_order=up'],
  'limit must be a positive integer': ['limit=0', 'limit=-1', 'offset=x&limit=0'],
  'limit must be an integer': ['limit=many', 'limit=', 'limit=1.5'],
  'offset must be an integer': ['offset=x', 'offset='],
}

proves('local-jobs/listing-refusals', (subject) =>
  exchanges(
    subject,
    Object.entries(localRefusals).flatMap(([error, queries]) =>
      queries.map((query): Row => ['GET', `/api/jobs?${query}`, undefined, 400, { error }]),
    ),
  ),
)
