// Submits to the hosted API v2 on any server: what it refuses, and what it keeps.

import { v2JobList } from '../../../spec/v2/v2-jobs.ts'
import { node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { expectRefused, fitting, v2Of } from '../../judge/hosted/v2.ts'
import { proves } from '../../judge/proves.ts'

proves('v2-jobs/refused-body', async (subject) => {
  const { post, send } = await v2Of(subject)
  for (const body of ['', 'no JSON', '[]', '7', '"text"', 'null', '{"workflow": NaN}'])
    expectRefused(await send('POST', '/jobs', body), 400, 'invalid_request')
  for (const value of [{}, { workflow: null }, { workflow: [] }, { workflow: 'a' }, { prompt: {} }])
    expectRefused(await post('/jobs', value), 422, 'invalid_workflow')
})

proves('v2-jobs/editor-format', async (subject) => {
  const { post } = await v2Of(subject)
  const workflow = { nodes: [], links: [], last_node_id: 7 }
  expectRefused(await post('/jobs', { workflow }), 422, 'workflow_format_ui')
  expectRefused(await post('/jobs', { workflow, metadata: 7 }), 422, 'workflow_format_ui')
})

proves('v2-jobs/reserved', async (subject) => {
  const { post, submit } = await v2Of(subject)
  for (const more of [{ webhook_url: 'https://example.com' }, { inputs: {} }])
    expectRefused(await post('/jobs', { workflow: talking(), ...more }), 422, 'invalid_workflow')
  await submit(talking(), { webhook_url: null, inputs: null })
})

proves('v2-jobs/extra-data', async (subject) => {
  const { job, post, run, send } = await v2Of(subject)
  const secret = 'a-partner-key-that-nobody-sees'
  for (const extra_data of [{ note: 1 }, { api_key_comfy_org: 7 }, [], 'text'])
    expectRefused(await post('/jobs', { workflow: talking(), extra_data }), 422, 'invalid_request')
  const made = await run(talking(), { extra_data: { api_key_comfy_org: secret } })
  const texts = [
    JSON.stringify(made),
    JSON.stringify(await job(made.id)),
    (await send('GET', `/jobs/${made.id}/workflow`)).text,
    (await send('GET', '/jobs')).text,
    (await subject.get(`/jobs/${made.id}`)).text,
  ]
  for (const text of texts) expect(text).not.toContain(secret)
})

proves('v2-jobs/bad-graph', async (subject) => {
  const { post } = await v2Of(subject)
  const unknown = { '4': node('NoSuchNode'), '9': node('PreviewAny', { source: ['4', 0] }) }
  const graphs = [unknown, { '2': node('SaveImage', { filename_prefix: 'x' }) }]
  for (const [at, workflow] of graphs.entries()) {
    const { details } = expectRefused(await post('/jobs', { workflow }), 422, 'invalid_workflow')
    const errors = Object.entries<any[]>(details.node_errors)
    expect(errors.map(([id]) => id)).toContain(at === 0 ? '4' : '2')
    for (const { field, reason } of errors.flatMap(([, own]) => own))
      expect([typeof field, typeof reason]).toEqual(['string', 'string'])
  }
  expectRefused(await post('/jobs', { workflow: {} }), 422, 'invalid_workflow')
})

proves('v2-jobs/other-members', async (subject) => {
  const { submit } = await v2Of(subject)
  await submit(talking(), { priority: 7, prompt: 'x', more: [1] })
})

proves('v2-jobs/labels', async (subject) => {
  const { job, run, send } = await v2Of(subject)
  const metadata = { 'team.a_b-C9': 'Grüße = ✓; 100%', empty: '' }
  const { id } = await run(solid(), { metadata })
  expect((await job(id)).metadata).toEqual(metadata)
  const { jobs } = fitting(v2JobList, await send('GET', '/jobs?limit=100'))
  expect(jobs.find((one: any) => one.id === id)).toMatchObject({ metadata })
})

proves('v2-jobs/labels-invalid', async (subject) => {
  const { post, submit } = await v2Of(subject)
  const bad: readonly unknown[] = [
    'text',
    [],
    { 'a b': 'x' },
    { '': 'x' },
    { ['k'.repeat(41)]: 'x' },
    { a: 7 },
    { a: null },
    { a: 'x'.repeat(257) },
    { a: 'ü'.repeat(129) },
    { a: 'two\nlines' },
    { a: 'turned\u202e' },
    Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'x'])),
  ]
  for (const metadata of bad)
    expectRefused(await post('/jobs', { workflow: talking(), metadata }), 422, 'metadata_invalid')
  const most = Object.fromEntries(
    Array.from({ length: 16 }, (_, at) => [`k${at}`, 'x'.repeat(256)]),
  )
  await submit(talking(), { metadata: most })
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
