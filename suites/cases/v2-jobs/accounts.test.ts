// Jobs of the hosted API v2 in worlds that have test nodes, special accounts, limits or quirks.

import { bought, node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { account, fitting as fittingFirst } from '../../judge/hosted/jobs.ts'
import { fetchLink } from '../../judge/fetch-link.ts'
import { expectRefused, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'
import { jobDetail } from '../../../spec/server/jobs.ts'

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
  'v2-jobs/queue-full',
  async (subject) => {
    const { post, submit } = await v2Of(subject)
    for (let count = 0; count < 10; count++) await submit(talking(`${count}`))
    expectRefused(await post('/jobs', { workflow: talking() }), 429, 'queue_full')
    await subject.idle()
    await submit(talking())
  },
  { ...ownWorld, quirk: ['hosted.refuse-at-submit'], accounts: [account('test-key', 'standard')] },
)

proves(
  'v2-jobs/lifetime',
  async (subject) => {
    const { job, run } = await v2Of(subject)
    const { id, created_at, expires_at } = await run(talking())
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(24 * 3_600_000)
    await subject.emulator?.advance(25 * 3_600_000)
    expect(await job(id)).toMatchObject({ status: 'succeeded', expires_at })
  },
  ownWorld,
)

proves(
  'v2-jobs/outputs-so-far',
  async (subject) => {
    const { job, reach, run, stream, submit } = await v2Of(subject)
    const slow = node('FlowdoubleSlow', { seconds: 10, steps: 5, value: ['1', 0] })
    const { id } = await submit({ ...solid(), '3': slow })
    await reach(await stream(id), ({ name }) => name === 'output')
    const { status, outputs } = await job(id)
    expect({ status, nodes: outputs.map((one: any) => one.node_id) }).toEqual({
      status: 'running',
      nodes: ['2'],
    })
    expect((await run(talking())).outputs).toEqual([])
  },
  ownWorld,
)

proves(
  ['v2-jobs/links', 'v2-assets/address'],
  async ({ emulator }) => {
    const world = await emulator!.world({ name: 'other' })
    const subject = subjectOf(world)
    const { run } = await v2Of(subject)
    const { urls, outputs } = await run(solid())
    const headers = { Authorization: 'Bearer test-key' }
    // They lead to the world, whoever reads them.
    const { origin } = new URL(world.url)
    for (const link of [urls.self, urls.events])
      expect((await fetchLink(origin + link, headers)).status).toBe(200)
    expect((await fetchLink(outputs[0].url)).status).toBe(200)
    const content = `${world.url}/api/v2/assets/${outputs[0].id}/content`
    expect((await fetchLink(content, headers)).status).toBe(302)
  },
  ownWorld,
)

provesQuirk('hosted.v2-no-labels', async (subject) => {
  const { post, send, submit } = await v2Of(subject)
  const labelled = { workflow: talking(), metadata: { a: 'b' } }
  expectRefused(await post('/jobs', labelled), 422, 'metadata_not_supported')
  expect((await submit(talking(), { metadata: {} })).metadata).toEqual({})
  expectRefused(await send('GET', '/jobs'), 501, 'not_implemented')
})

provesQuirk('hosted.v2-bad-graph-fails', async (subject) => {
  const { submit, job } = await v2Of(subject)
  const { id } = await submit({ '1': node('NoSuchNode') })
  const { status, error } = await job(id)
  expect({ status, node_id: error.node_id }).toEqual({ status: 'failed', node_id: '1' })
  expect(fittingFirst(jobDetail, await subject.get(`/jobs/${id}`)).status).toBe('failed')
})
