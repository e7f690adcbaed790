// Idempotency keys of the hosted API v2: one submit for each, over time and with faults.

import { solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { newUuid } from '../../judge/hosted/busy-account.ts'
import { expectRefused, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves, twoAccounts } from '../../judge/proves.ts'
import { withFaults } from '../../support/faults.ts'

const named = (name: string) => ({ 'Idempotency-Key': name })

proves('v2-access/key-once', async (subject) => {
  const { post, submit } = await v2Of(subject)
  const key = named(newUuid(subject, 'once'))
  await submit(talking(), {}, key)
  for (const workflow of [talking(), talking('other')]) {
    const again = await post('/jobs', { workflow }, key)
    expectRefused(again, 422, 'idempotency_key_reuse')
    expect(Object.keys(again.headers).filter((name) => /idempot|replay/.test(name))).toEqual([])
  }
  const both = named(newUuid(subject, 'two at a time'))
  const replies = await Promise.all(
    ['a', 'b'].map((text) => post('/jobs', { workflow: talking(text) }, both)),
  )
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422])
})

proves('v2-access/key-released', async (subject) => {
  const { post, send, submit } = await v2Of(subject)
  const key = named(newUuid(subject, 'released'))
  expectRefused(await send('POST', '/jobs', 'no JSON', key), 400, 'invalid_request')
  const editor = { workflow: { nodes: [], links: [] } }
  expectRefused(await post('/jobs', editor, key), 422, 'workflow_format_ui')
  const unknown = { workflow: { '1': { class_type: 'NoSuchNode', inputs: {} } } }
  expectRefused(await post('/jobs', unknown, key), 422, 'invalid_workflow')
  await submit(talking(), {}, key)
})

proves('v2-access/key-form', async (subject) => {
  const { post } = await v2Of(subject)
  for (const key of ['', 'x'.repeat(256)]) {
    const reply = await post('/jobs', { workflow: talking() }, named(key))
    expectRefused(reply, 400, 'invalid_request')
  }
})

proves(
  'v2-access/key-scope',
  async (subject) => {
    const { submit, upload } = await v2Of(subject)
    const key = named(newUuid(subject, 'scope'))
    await submit(solid(), {}, key)
    await (await v2Of(subject.as('other-key'))).submit(solid(), {}, key)
    const fields = { content_type: 'text/plain', file_path: subject.unique('scope.txt') }
    expectRefused(await upload(Buffer.from('x'), fields, key), 422, 'idempotency_key_reuse')
  },
  twoAccounts,
)

const hour = 3_600_000

proves(
  'v2-access/key-lifetime',
  async (subject) => {
    const { post, submit } = await v2Of(subject)
    const key = named('a-key')
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
    const key = named('a-key')
    const lost = await post('/jobs', { workflow: talking() }, key).catch(() => undefined)
    expect(lost).toBeUndefined()
    expectRefused(await post('/jobs', { workflow: talking() }, key), 422, 'idempotency_key_reuse')
    const other = named('another')
    const failed = await post('/jobs', { workflow: talking() }, other)
    expectRefused(failed, 503, 'upstream_unreachable')
    expectRefused(await post('/jobs', { workflow: talking() }, other), 422, 'idempotency_key_reuse')
    const limited = await post('/jobs', { workflow: talking() }, named('third'))
    expectRefused(limited, 429, 'rate_limited')
    await submit(talking(), {}, named('third'))
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
