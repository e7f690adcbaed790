// Idempotency keys of the hosted API v2 over time and with faults, and the refusals that need special accounts.

import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { expectRefused, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { withFaults } from '../../support/faults.ts'

const key = { 'Idempotency-Key': 'a-key' }
const hour = 3_600_000

proves(
  'v2-access/key-lifetime',
  async (subject) => {
    const { post, submit } = await v2Of(subject)
    await submit(talking(), {}, key)
    await subject.emulator?.advance(24 * hour - 1)
    expectRefused(await post('/jobs', { workflow: talking() }, key), 422, 'idempotency_key_reuse')
    await subject.emulator?.advance(1)
    await submit(talking(), {}, key)
  },
  ownWorld,
)

proves(
  'v2-access/key-held',
  async (subject) => {
    const { post, send, submit } = await v2Of(subject)
    const lost = await post('/jobs', { workflow: talking() }, key).catch(() => undefined)
    expect(lost).toBeUndefined()
    expectRefused(await post('/jobs', { workflow: talking() }, key), 422, 'idempotency_key_reuse')
    const other = { 'Idempotency-Key': 'another' }
    const failed = await post('/jobs', { workflow: talking() }, other)
    expectRefused(failed, 503, 'upstream_unreachable')
    expectRefused(await post('/jobs', { workflow: talking() }, other), 422, 'idempotency_key_reuse')
    const limited = await post('/jobs', { workflow: talking() }, { 'Idempotency-Key': 'third' })
    expectRefused(limited, 429, 'rate_limited')
    await submit(talking(), {}, { 'Idempotency-Key': 'third' })
    // The first submit has reached the server.
    expect((await send('GET', '/jobs')).json().jobs).toHaveLength(2)
  },
  {
    ...withFaults(
      { when: { path: '/api/v2/jobs', method: 'POST', nth: 1 }, then: { reset: true } },
      { when: { path: '/api/v2/jobs', method: 'POST', nth: 3 }, then: { status: 503 } },
      {
        when: { path: '/api/v2/jobs', method: 'POST', nth: 5 },
        then: { status: 429, retryAfter: 1 },
      },
    ),
    deployment: 'hosted',
  },
)

proves(
  'v2-access/retry-after',
  async (subject) => {
    const { post, submit } = await v2Of(subject)
    for (let count = 0; count < 10; count++) await submit(talking(`${count}`))
    const full = await post('/jobs', { workflow: talking('one more') })
    expectRefused(full, 429, 'queue_full')
    expect(full.headers['retry-after']).toMatch(/^\d+$/)
  },
  { ...ownWorld, quirk: ['hosted.refuse-at-submit'], accounts: [account('test-key', 'standard')] },
)

provesQuirk('hosted.no-v2', async ({ breaks, raw }) => {
  breaks('v2-jobs/listing', 'v2-streams/form')
  const headers = { 'X-API-Key': 'test-key', Authorization: 'Bearer test-key' }
  for (const path of ['/jobs', '/jobs/x/events', '/assets']) {
    const { status, json } = await raw('GET', `/api/v2${path}`, undefined, headers)
    expect([status, json().code]).toEqual([404, 'NOT_FOUND'])
  }
})
