// Cancelling and deleting hosted jobs.

import { cancelledJobs } from '../../../spec/server/jobs.ts'
import { failing, slow, solid, talking } from '../../generate/graphs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import {
  cancel,
  detailOf,
  expectRefusal,
  fitting,
  isOf,
  listed,
  nobody,
  oneAtATime,
  queued,
  submitAll,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'jobs/cancel',
  async (subject) => {
    const session = await subject.connect()
    const [running = '', waiting = '', next = ''] = await submitAll(subject, [
      slow(),
      slow(),
      talking(),
    ])
    await subject.reach(session, isOf('progress', running))
    expect(await cancel(subject, waiting)).toBe(true)
    expect(await wordOf(subject, waiting)).toBe('cancelled')
    expect(await cancel(subject, waiting)).toBe(false)
    expect(await cancel(subject, running)).toBe(true)
    expect(await cancel(subject, running)).toBe(false)
    await subject.idle()
    const words = await wordsOf(subject, [running, waiting, next])
    expect(words).toEqual(['cancelled', 'cancelled', 'completed'])
    for (const id of [running, waiting, next]) expect(await cancel(subject, id)).toBe(false)
    expect(await wordsOf(subject, [running, waiting, next])).toEqual(words)
  },
  { accounts: oneAtATime },
)

proves(
  'jobs/cancel-running',
  async (subject) => {
    const session = await subject.connect()
    const [id = ''] = await submitAll(subject, [slow(10, 5)])
    const step = await subject.reach(session, isOf('progress', id))
    await cancel(subject, id)
    expect(await queued(subject)).toEqual({ running: [id], pending: [] })
    const stop = await subject.reach(session, isOf('execution_interrupted', id))
    expect(stop.data).toMatchObject({ node_id: '1', node_type: 'FlowdoubleSlow', executed: [] })
    expect(session.messages().filter(isOf('progress', id))).toEqual([step])
    // The only node of this one does not check for an interrupt: the run does when the node is done.
    const [quick = ''] = await submitAll(subject, [talking()])
    await subject.reach(session, isOf('executing', quick))
    expect(await cancel(subject, quick)).toBe(true)
    await subject.reach(session, isOf('execution_interrupted', quick))
    expect(await wordsOf(subject, [id, quick])).toEqual(['cancelled', 'cancelled'])
    expect((await detailOf(subject, quick)).outputs).toHaveProperty('1')
    expect(session.messages().map(({ type }) => type)).not.toContain('execution_success')
    // A node that fails before that decides the outcome.
    const [failed = ''] = await submitAll(subject, [failing('OOMError')])
    await subject.reach(
      session,
      (one) => isOf('executing', failed)(one) && one.data['node'] === '2',
    )
    expect(await cancel(subject, failed)).toBe(true)
    await subject.idle()
    expect(await wordOf(subject, failed)).toBe('failed')
  },
  ownWorld,
)

proves(
  'jobs/cancel-many',
  async (subject) => {
    const session = await subject.connect()
    const over = await subject.run(session, talking())
    const [running = '', ...waiting] = await submitAll(subject, [slow(), slow(), slow(), slow()])
    await subject.reach(session, isOf('execution_start', running))
    const all = [over.prompt_id, running, ...waiting]
    const before = await wordsOf(subject, all)
    const ask = (job_ids: readonly string[]) => subject.post('/jobs/cancel', { job_ids })
    expectRefusal(await ask([...all, nobody]), 404, 'NOT_FOUND')
    expect(await wordsOf(subject, all)).toEqual(before)
    const [first = '', second = '', third = ''] = waiting
    const reply = fitting(cancelledJobs, await ask([third, over.prompt_id, running, first, third]))
    expect(reply).toEqual({ cancelled: [third, running, first] })
    expect(fitting(cancelledJobs, await ask([third, running]))).toEqual({ cancelled: [] })
    await subject.idle()
    expect(await wordsOf(subject, [running, first, second, third])).toEqual([
      'cancelled',
      'cancelled',
      'completed',
      'cancelled',
    ])
  },
  { accounts: oneAtATime },
)

proves(
  'jobs/cancel-many-body',
  async (subject) => {
    const { request, post } = subject
    const [id = ''] = await submitAll(subject, [slow()])
    const ask = (body?: string) => request('POST', '/jobs/cancel', body)
    for (const body of [undefined, '', 'no JSON', 'null', '[]', `"${id}"`, `["${id}"]`])
      expectRefusal(await ask(body), 400, 'BAD_REQUEST')
    for (const value of [
      {},
      { job_ids: [] },
      { job_ids: id },
      { job_ids: null },
      { job_ids: [7] },
      { job_ids: [id, 'no-uuid'] },
      { job_ids: [id], more: 1 },
      { job_ids: Array.from({ length: 101 }, () => id) },
    ])
      expectRefusal(await post('/jobs/cancel', value), 400, 'BAD_REQUEST')
    expect(await wordOf(subject, id)).toBe('pending')
    const most = await post('/jobs/cancel', { job_ids: Array.from({ length: 100 }, () => id) })
    expect(most.json()).toEqual({ cancelled: [id] })
  },
  ownWorld,
)

proves(
  'jobs/delete',
  async (subject) => {
    const session = await subject.connect()
    const over = (await subject.run(session, talking())).prompt_id
    const [running = '', waiting = ''] = await submitAll(subject, [slow(), talking('later')])
    await subject.reach(session, isOf('execution_start', running))
    const remove = async (id: string) => {
      const { status, text } = await subject.request('DELETE', `/jobs/${id}`)
      return [status, text]
    }
    const all = [over, running, waiting]
    for (const id of all) expect(await remove(id)).toEqual([204, ''])
    expect(await listed(subject)).toEqual([waiting, running])
    for (const path of [`/jobs/${over}`, `/job/${over}/status`, `/history/${over}`])
      expectRefusal(await subject.get(path), 404, 'NOT_FOUND')
    expectRefusal(await subject.request('POST', `/jobs/${over}/cancel`), 404, 'NOT_FOUND')
    expect((await subject.get('/history')).json()).toEqual({ history: [] })
    await subject.idle()
    expect(await wordsOf(subject, [running, waiting])).toEqual(['completed', 'completed'])
    for (const id of all) expect(await remove(id)).toEqual([204, ''])
    expect(await listed(subject)).toEqual([])
    expect((await remove(nobody))[0]).toBe(404)
  },
  { accounts: oneAtATime },
)

proves('jobs/delete-keeps-files', async (subject) => {
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, solid())
  const { filename } = (await detailOf(subject, prompt_id)).outputs['2'].images[0]
  const view = async () => (await subject.get(`/view?filename=${filename}&type=output`)).status
  const before = await view()
  expect([200, 302]).toContain(before)
  await subject.request('DELETE', `/jobs/${prompt_id}`)
  expect(await view()).toBe(before)
})

proves(
  'messages/hosted-early-cancel',
  async (subject) => {
    const session = await subject.connect()
    const ids = await submitAll(subject, [talking(), talking(), talking(), talking()])
    const [byJob = '', byJobs = '', byQueue = '', byClear = ''] = ids
    await cancel(subject, byJob)
    await subject.post('/jobs/cancel', { job_ids: [byJobs] })
    await subject.post('/queue', { delete: [byQueue] })
    await subject.post('/queue', { clear: true })
    await session.settled()
    for (const id of ids) {
      const own = session.messages().filter(({ data }) => data['prompt_id'] === id)
      expect(own).toEqual([
        {
          type: 'execution_interrupted',
          data: { prompt_id: id, executed: [], timestamp: expect.any(Number) },
        },
      ])
      expect(judgeOrder('hosted', own)).toEqual([])
      const { execution_status } = await detailOf(subject, id)
      expect(execution_status.messages).toEqual([['execution_interrupted', own[0]?.data]])
    }
    const left = session.messages().filter(({ type }) => type === 'status')
    expect(left.at(-1)?.data['status']).toEqual({ exec_info: { queue_remaining: 0 } })
    expect(await wordOf(subject, byClear)).toBe('cancelled')
    await subject.idle()
    expect(session.messages().map(({ type }) => type)).not.toContain('execution_start')
  },
  { accounts: oneAtATime },
)

provesQuirk('hosted.silent-pending-cancel', async (subject) => {
  const session = await subject.connect()
  const [waiting = '', running = ''] = await submitAll(subject, [slow(), slow()])
  await subject.post('/queue', { delete: [waiting] })
  await session.settled()
  expect(session.messages().filter(({ type }) => type !== 'status')).toEqual([])
  expect(await wordOf(subject, waiting)).toBe('cancelled')
  // A running job sends messages.
  await subject.reach(session, isOf('execution_start', running))
  await cancel(subject, running)
  await subject.reach(session, isOf('execution_interrupted', running))
})
