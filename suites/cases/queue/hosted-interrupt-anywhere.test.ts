// Interrupting hosted runs on any server. An interrupt without an id concerns whatever its account runs, so that these
// cases end where somebody else works with the same key.

import { talking } from '../../generate/graphs.ts'
import { cancelAll, expectAlone, isAtWork, keepBusy } from '../../judge/hosted/busy-account.ts'
import {
  expectRefusal,
  isOf,
  nobody,
  queued,
  submitOne,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { proves, provesQuirk, twoAccounts } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

proves(
  ['messages/interrupted', 'messages/error-details'],
  async (subject) => {
    const session = await subject.connect()
    const graph = await subject.workloads.slow()
    const prompt_id = await submitOne(subject, graph)
    await subject.reach(session, isAtWork(prompt_id))
    await subject.post('/interrupt', { prompt_id })
    const { data } = await subject.reach(session, isOf('execution_interrupted', prompt_id))
    const node_id = String(data['node_id'])
    expect(Object.keys(graph)).toContain(node_id)
    expect(data).toEqual({
      prompt_id,
      node_id,
      node_type: graph[node_id]?.class_type,
      executed: expect.any(Array),
      timestamp: expect.any(Number),
    })
  },
  hosted,
)

proves(
  ['queue/interrupt', 'queue/hosted-interrupt'],
  async (subject) => {
    const session = await subject.connect()
    await expectAlone(subject, [])
    const busy = await keepBusy(subject)
    const last = busy.at(-1) as string
    await subject.reach(session, isAtWork(last))
    await expectAlone(subject, busy)
    const reply = await subject.request('POST', '/interrupt')
    expect(reply).toMatchObject({ status: 200, text: '' })
    await subject.reach(session, isOf('execution_interrupted', busy[0]))
    const words = busy.map((_, index) => (index === 0 ? 'cancelled' : 'in_progress'))
    expect(await wordsOf(subject, busy)).toEqual(words)
    await cancelAll(subject, busy)
    const next = await subject.run(session, talking())
    expect(await wordOf(subject, next.prompt_id)).toBe('completed')
  },
  hosted,
)

proves(
  'queue/hosted-interrupt',
  async (subject) => {
    await expectAlone(subject, [])
    const other = subject.as('other-key')
    const session = await other.connect()
    const foreign = await submitOne(other, await other.workloads.slow())
    await other.reach(session, isAtWork(foreign))
    await subject.post('/interrupt', {})
    await other.reach(session, isOf('execution_success', foreign))
    expect(await wordOf(other, foreign)).toBe('completed')
  },
  twoAccounts,
)

proves(
  'queue/idle-interrupt-is-lost',
  async (subject) => {
    const session = await subject.connect()
    const slow = await subject.workloads.slow()
    await expectAlone(subject, [])
    for (const body of [undefined, '{}', 'no JSON'])
      expect((await subject.request('POST', '/interrupt', body)).status).toBe(200)
    const id = await submitOne(subject, slow)
    await subject.reach(session, isOf('execution_success', id))
    expect(await wordOf(subject, id)).toBe('completed')
  },
  hosted,
)

proves('queue/hosted-interrupt-named', async (subject) => {
  const session = await subject.connect()
  const over = (await subject.run(session, talking())).prompt_id
  const busy = await keepBusy(subject)
  const [running, ...others] = busy
  const waiting = await submitOne(subject, talking())
  for (const prompt_id of [nobody, 'no-uuid'])
    expectRefusal(await subject.post('/interrupt', { prompt_id }), 404, 'NOT_FOUND')
  for (const prompt_id of [over, running, waiting]) {
    const { status, text } = await subject.post('/interrupt', { prompt_id })
    expect({ status, text }).toEqual({ status: 200, text: '' })
  }
  await subject.reach(session, isOf('execution_interrupted', running))
  const words = ['completed', 'cancelled', 'cancelled']
  expect(await wordsOf(subject, [over, running, waiting])).toEqual(words)
  for (const id of others) expect(await wordOf(subject, id)).not.toBe('cancelled')
  await cancelAll(subject, others)
})

// No text: none of these names a run.
proves('queue/hosted-interrupt-named', async (subject) => {
  for (const prompt_id of ['', 7, [nobody], {}])
    expectRefusal(await subject.post('/interrupt', { prompt_id }), 404, 'NOT_FOUND')
})

proves('queue/hosted-interrupt-any-body', async (subject) => {
  const session = await subject.connect()
  const headers = { 'Content-Type': 'application/octet-stream' }
  for (const body of ['no JSON', '[]', '"text"', '{"prompt_id": null}', '{']) {
    await expectAlone(subject, [])
    const id = await submitOne(subject, await subject.workloads.slow())
    await subject.reach(session, isAtWork(id))
    expect((await queued(subject)).running).toEqual([id])
    const { status, text } = await subject.request('POST', '/interrupt', body, headers)
    expect({ body, status, text }).toEqual({ body, status: 200, text: '' })
    await subject.reach(session, isOf('execution_interrupted', id))
    await subject.idle()
    expect([body, await wordOf(subject, id)]).toEqual([body, 'cancelled'])
  }
})

provesQuirk('hosted.interrupt-all', async (subject) => {
  const session = await subject.connect()
  await expectAlone(subject, [])
  const busy = await keepBusy(subject)
  await subject.reach(session, isAtWork(busy.at(-1) as string))
  await expectAlone(subject, busy)
  expect((await subject.post('/interrupt', { prompt_id: nobody })).status).toBe(200)
  for (const id of busy) await subject.reach(session, isOf('execution_interrupted', id))
})
