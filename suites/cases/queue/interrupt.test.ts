// Interrupts: of the running run, of a named one, and of nothing. One that names none concerns whatever its account runs on a
// hosted server, so that such cases end where somebody else works with the same key.

import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, expectAlone, isAtWork, keepBusy } from '../../judge/hosted/busy-account.ts'
import { isOf, nobody, submitOne, wordOf, wordsOf } from '../../judge/hosted/jobs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { busy, me, messagesAbout, onlyOurs, ordered, submitFor } from '../../judge/own-runs.ts'
import { proves, provesQuirk, twoAccounts } from '../../judge/proves.ts'
import { empty, shape } from '../../judge/reply.ts'
import { endsRun, listedIds } from '../../judge/responses.ts'
import { expectRefusal } from '../../judge/hosted/refusals.ts'

proves(
  'queue/interrupt',
  async (subject) => {
    const { session, held, pend } = await busy(subject)
    const [next] = await pend('next')
    const seen = messagesAbout(session, held.prompt_id).length
    expect(shape(await subject.request('POST', '/interrupt'))).toEqual(empty)
    await subject.reach(session, endsRun('local', next))
    const messages = messagesAbout(session, held.prompt_id)
    const [stopped, ...more] = messages.filter(({ type }) => type === 'execution_interrupted')
    const started = messages
      .filter(isAtWork(held.prompt_id))
      .map(({ data }) => String(data['node']))
    expect(more).toEqual([])
    expect(stopped?.data).toMatchObject({
      prompt_id: held.prompt_id,
      node_id: started.at(-1),
      node_type: held.graph[started.at(-1)!]?.class_type,
    })
    const executed = stopped?.data['executed'] as string[] | undefined
    expect(executed?.toSorted()).toEqual(started.slice(0, -1).toSorted())
    const { running, pending } = await listedIds(subject)
    expect([...running, ...pending]).not.toContain(held.prompt_id)
    expect((await subject.finished(next!))?.status.status_str).toBe('success')
    if (subject.isOwn) {
      const types = messages.slice(seen).map(({ type }) => type)
      expect(types).not.toContain('progress')
      const own = session.messages().slice(1, session.messages().indexOf(messages.at(-1)!) + 1)
      expect(judgeOrder('local', ordered(own, held.prompt_id))).toEqual([])
    }
  },
  { deployment: 'local' },
)

proves(['queue/interrupt', 'queue/hosted-interrupt'], async (subject) => {
  const session = await subject.connect()
  await expectAlone(subject, [])
  const ours = await keepBusy(subject)
  await subject.reach(session, isAtWork(ours.at(-1) as string))
  await expectAlone(subject, ours)
  const reply = await subject.request('POST', '/interrupt')
  expect(reply).toMatchObject({ status: 200, text: '' })
  await subject.reach(session, isOf('execution_interrupted', ours[0]))
  const words = ours.map((_, index) => (index === 0 ? 'cancelled' : 'in_progress'))
  expect(await wordsOf(subject, ours)).toEqual(words)
  if (subject.isOwn) {
    // The next two, before the first of them has noticed.
    await subject.request('POST', '/interrupt')
    await subject.request('POST', '/interrupt')
    await subject.idle()
    const ended = ours.map((_, index) => (index < 3 ? 'cancelled' : 'completed'))
    expect(await wordsOf(subject, ours)).toEqual(ended)
  } else await cancelAll(subject, ours)
  const next = await subject.run(session, talking())
  expect(await wordOf(subject, next.prompt_id)).toBe('completed')
})

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

proves('queue/idle-interrupt-is-lost', async (subject) => {
  await onlyOurs(subject, [])
  for (const body of [undefined, '{}', 'no JSON'])
    expect((await subject.request('POST', '/interrupt', body)).status).toBe(200)
  const { entry, messages } = await subject.run(await me(subject), talking(subject.unique('later')))
  expect(entry.status.status_str).toBe('success')
  expect(messages.map(({ type }) => type)).not.toContain('execution_interrupted')
})

proves('queue/interrupt-named', async (subject) => {
  const { session, held } = await busy(subject)
  const other = await submitFor(subject, session, await subject.workloads.slow())
  for (const prompt_id of [other, nobody, 7])
    expect((await subject.post('/interrupt', { prompt_id })).status).toBe(200)
  // The running one goes on: it sends what it has not sent before.
  const seen = new Set(messagesAbout(session, held.prompt_id).map((one) => JSON.stringify(one)))
  await subject.reach(
    session,
    (one) =>
      ['progress', 'executing'].includes(one.type) &&
      one.data['prompt_id'] === held.prompt_id &&
      !seen.has(JSON.stringify(one)),
  )
  expect((await listedIds(subject)).running).toContain(held.prompt_id)
  if (!subject.isOwn) await held.stop()
  await subject.reach(session, isAtWork(other))
  await subject.post('/interrupt', { prompt_id: held.prompt_id })
  expect((await listedIds(subject)).running).toContain(other)
  await subject.post('/interrupt', { prompt_id: other })
  await subject.idle()
  const outcomes = await Promise.all(
    [held.prompt_id, other].map(async (id) => {
      const { status } = (await subject.finished(id))!
      return [status.status_str, status.messages.at(-1)?.[0]]
    }),
  )
  const interrupted = ['error', 'execution_interrupted']
  const ended = subject.isOwn ? ['success', 'execution_success'] : interrupted
  expect(outcomes).toEqual([ended, interrupted])
})

proves('queue/hosted-interrupt-named', async (subject) => {
  const session = await subject.connect()
  const over = (await subject.run(session, talking())).prompt_id
  const [running, ...others] = await keepBusy(subject)
  const waiting = await submitOne(subject, talking())
  // Those that are not texts name no run.
  for (const prompt_id of [nobody, 'no-uuid', '', 7, [nobody], {}])
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

const unreadable = [
  'no JSON',
  '[]',
  'null',
  '"text"',
  '7',
  '{"prompt_id": null}',
  '{"other": 1}',
  '{',
  Buffer.from([0xff, 0xfe]),
]

proves('queue/hosted-interrupt-any-body', async (subject) => {
  const session = await subject.connect()
  const headers = { 'Content-Type': 'application/octet-stream' }
  for (const body of unreadable) {
    await expectAlone(subject, [])
    const id = await submitOne(subject, await subject.workloads.slow())
    await subject.reach(session, isAtWork(id))
    expect((await listedIds(subject)).running).toEqual([id])
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
  const ours = await keepBusy(subject)
  const waiting = await submitOne(subject, talking())
  await subject.reach(session, isAtWork(ours.at(-1) as string))
  await expectAlone(subject, [...ours, waiting])
  expect((await subject.post('/interrupt', { prompt_id: nobody })).status).toBe(200)
  for (const id of ours) await subject.reach(session, isOf('execution_interrupted', id))
  await subject.reach(session, isOf('execution_success', waiting))
})
