// Submits to the hosted API v2: what it refuses, and what it keeps.

import { jobDetail } from '../../../spec/server/jobs.ts'
import { v2JobList } from '../../../spec/v2/v2-jobs.ts'
import { bought, node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { account, fitting, fitting as fittingFirst } from '../../judge/hosted/jobs.ts'
import { expectRefused, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'

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

const poor = { ...account('test-key'), balance: 0, partnerKey: 'pays' }
const inactive = { ...account('other-key'), subscription: 'inactive' } as const

proves(
  'v2-jobs/credits',
  async (subject) => {
    const { post, submit } = await v2Of(subject)
    expectRefused(await post('/jobs', { workflow: bought() }), 402, 'insufficient_credits')
    await submit(talking())
    const other = await v2Of(subject.as('other-key'))
    expectRefused(await other.post('/jobs', { workflow: talking() }), 402, 'insufficient_credits')
  },
  { ...ownWorld, accounts: [poor, inactive] },
)

proves(
  ['v2-jobs/queue-full', 'v2-access/retry-after'],
  async (subject) => {
    const { post, submit } = await v2Of(subject)
    for (let count = 0; count < 10; count++) await submit(talking(`${count}`))
    const full = await post('/jobs', { workflow: talking('one more') })
    expectRefused(full, 429, 'queue_full')
    expect(full.headers['retry-after']).toMatch(/^\d+$/)
    await subject.idle()
    await submit(talking())
  },
  { ...ownWorld, quirk: ['hosted.refuse-at-submit'], accounts: [account('test-key', 'standard')] },
)

provesQuirk('hosted.v2-bad-graph-fails', async (subject) => {
  const { submit, job } = await v2Of(subject)
  const { id } = await submit({ '1': node('NoSuchNode') })
  const { status, error } = await job(id)
  expect({ status, node_id: error.node_id }).toEqual({ status: 'failed', node_id: '1' })
  expect(fittingFirst(jobDetail, await subject.get(`/jobs/${id}`)).status).toBe('failed')
})
