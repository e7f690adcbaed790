// The list of jobs of the hosted API v2: its pages, its filters, and what it refuses.

import { v2JobList } from '../../../spec/v2/v2-jobs.ts'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { expectRefused, v2Of } from '../../judge/hosted/v2.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { fitting } from '../../judge/hosted/jobs.ts'

proves('v2-jobs/listing', async (subject) => {
  const { job, send, submit } = await v2Of(subject)
  const ids: string[] = []
  for (const text of ['a', 'b', 'c']) ids.unshift((await submit(talking(text))).id)
  const found: string[] = []
  let cursor: string | undefined
  do {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = fitting(v2JobList, await send('GET', `/jobs?limit=2${next}`))
    expect(page.jobs.length).toBeLessThanOrEqual(2)
    found.push(...page.jobs.map(({ id }: { id: string }) => id))
    cursor = page.next_cursor
  } while (cursor !== undefined && !ids.every((id) => found.includes(id)))
  expect(found.filter((id) => ids.includes(id))).toEqual(ids)
  expect(new Set(found).size).toBe(found.length)
  await subject.idle()
  const { jobs } = fitting(v2JobList, await send('GET', '/jobs?limit=3'))
  for (const { id, status } of jobs)
    expect({ id, status }).toEqual({ id, status: (await job(id)).status })
})

proves('v2-jobs/listing-filters', async (subject) => {
  const { send, submit } = await v2Of(subject)
  const team = subject.unique('team & others')
  const ids: string[] = []
  for (const part of ['one', 'two', 'one'])
    ids.unshift((await submit(talking(part), { metadata: { team, part } })).id)
  await submit(talking(), { metadata: { team: `${team}!` } })
  const listed = async (...filters: (readonly [string, string])[]): Promise<string[]> => {
    const query = new URLSearchParams(
      filters.map(([key, value]): [string, string] => [`metadata[${key}]`, value]),
    )
    return fitting(v2JobList, await send('GET', `/jobs?${query.toString()}`)).jobs.map(
      ({ id }: { id: string }) => id,
    )
  }
  expect(await listed(['team', team])).toEqual(ids)
  expect(await listed(['team', team], ['part', 'one'])).toEqual([ids[0], ids[2]])
  expect(await listed(['team', team], ['part', 'On'])).toEqual([])
  expect(await listed(['team', team], ['other', 'one'])).toEqual([])
})

proves('v2-jobs/listing-refusals', async (subject) => {
  const { send } = await v2Of(subject)
  const filters = [
    'metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[d]=1',
    'metadata[a]=1&metadata[a]=2',
    'metadata[a%20b]=1',
    'metadata[a]=x%0ay',
    'metadata[a]=1;limit=2',
    'metadata[a]=%zz',
  ]
  for (const query of filters)
    expectRefused(await send('GET', `/jobs?${query}`), 400, 'invalid_metadata_filter')
  for (const cursor of ['', 'x', 'v2-', 'job-1'])
    expectRefused(await send('GET', `/jobs?cursor=${cursor}`), 400, 'invalid_cursor')
  for (const limit of ['', '0', '101', '-1', 'x', '1.5'])
    expectRefused(await send('GET', `/jobs?limit=${limit}`), 400, 'invalid_request')
})

provesQuirk('hosted.v2-no-labels', async (subject) => {
  const { post, send, submit } = await v2Of(subject)
  const labelled = { workflow: talking(), metadata: { a: 'b' } }
  expectRefused(await post('/jobs', labelled), 422, 'metadata_not_supported')
  expect((await submit(talking(), { metadata: {} })).metadata).toEqual({})
  expectRefused(await send('GET', '/jobs'), 501, 'not_implemented')
})
