// Cancelling, deleting and waiting hosted jobs on any server, whatever else its account does.

import { cancelledJobs } from '../../../spec/server/jobs.ts'
import { talking } from '../../generate/graphs.ts'
import { cancelAll, expectAlone, isAtWork, keepBusy } from '../../judge/hosted/busy-account.ts'
import {
  cancel,
  detailOf,
  expectRefusal,
  fitting,
  isOf,
  listed,
  nobody,
  queued,
  submitAll,
  submitOne,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves('jobs/cancel', async (subject) => {
  const busy = await keepBusy(subject)
  const [waiting = '', next = ''] = await submitAll(subject, ['a', 'b'].map(talking))
  expect(await cancel(subject, waiting)).toBe(true)
  expect(await wordOf(subject, waiting)).toBe('cancelled')
  expect(await cancel(subject, waiting)).toBe(false)
  const [running] = busy
  expect(await cancel(subject, running)).toBe(true)
  expect(await cancel(subject, running)).toBe(false)
  await cancelAll(subject, busy)
  await subject.idle()
  const words = ['cancelled', 'cancelled', 'completed']
  expect(await wordsOf(subject, [running, waiting, next])).toEqual(words)
  for (const id of [running, waiting, next]) expect(await cancel(subject, id)).toBe(false)
  expect(await wordsOf(subject, [running, waiting, next])).toEqual(words)
})

proves('jobs/cancel-running', async (subject) => {
  const session = await subject.connect()
  const graph = await subject.workloads.slow()
  const id = await submitOne(subject, graph)
  await subject.reach(session, isAtWork(id))
  expect(await cancel(subject, id)).toBe(true)
  const { data } = await subject.reach(session, isOf('execution_interrupted', id))
  expect(Object.keys(graph)).toContain(data['node_id'])
  await subject.idle()
  expect(await wordOf(subject, id)).toBe('cancelled')
  expect(session.messages().filter(isOf('execution_success', id))).toEqual([])
})

proves('jobs/cancel-many', async (subject) => {
  const session = await subject.connect()
  const over = (await subject.run(session, talking())).prompt_id
  const busy = await keepBusy(subject)
  const [running] = busy
  const waiting = await submitAll(subject, ['a', 'b', 'c'].map(talking))
  const all = [over, running, ...waiting]
  const before = await wordsOf(subject, all)
  const ask = (job_ids: readonly string[]) => subject.post('/jobs/cancel', { job_ids })
  expectRefusal(await ask([...all, nobody]), 404, 'NOT_FOUND')
  expect(await wordsOf(subject, all)).toEqual(before)
  const [first = '', second = '', third = ''] = waiting
  const reply = fitting(cancelledJobs, await ask([third, over, running, first, third]))
  expect(reply).toEqual({ cancelled: [third, running, first] })
  expect(fitting(cancelledJobs, await ask([third, running]))).toEqual({ cancelled: [] })
  await cancelAll(subject, busy)
  await subject.idle()
  const words = ['cancelled', 'cancelled', 'completed', 'cancelled']
  expect(await wordsOf(subject, [running, first, second, third])).toEqual(words)
})

proves('jobs/cancel-many-body', async (subject) => {
  const { request, post } = subject
  const id = await submitOne(subject, await subject.workloads.slow())
  for (const body of [undefined, '', 'no JSON', 'null', '[]', `"${id}"`, `["${id}"]`])
    expectRefusal(await request('POST', '/jobs/cancel', body), 400, 'BAD_REQUEST')
  const wrong: readonly object[] = [
    {},
    { job_ids: [] },
    { job_ids: id },
    { job_ids: null },
    { job_ids: [7] },
    { job_ids: [id, 'no-uuid'] },
    { job_ids: [id], more: 1 },
    { job_ids: Array.from({ length: 101 }, () => id) },
  ]
  for (const value of wrong) expectRefusal(await post('/jobs/cancel', value), 400, 'BAD_REQUEST')
  expect(await wordOf(subject, id)).not.toBe('cancelled')
  const next = await submitOne(subject, await subject.workloads.slow())
  const most = await post('/jobs/cancel', { job_ids: Array.from({ length: 100 }, () => next) })
  expect(most.json()).toEqual({ cancelled: [next] })
})

proves('jobs/delete', async (subject) => {
  const { get, request } = subject
  const session = await subject.connect()
  const over = (await subject.run(session, talking())).prompt_id
  const busy = await keepBusy(subject)
  const [running, ...others] = busy
  const waiting = await submitOne(subject, talking('later'))
  const remove = async (id: string) => {
    const { status, text } = await request('DELETE', `/jobs/${id}`)
    return [status, text]
  }
  const all = [over, running, waiting]
  for (const id of all) expect(await remove(id)).toEqual([204, ''])
  const left = await listed(subject, '?limit=1000')
  expect(left).toEqual(expect.arrayContaining([waiting, running]))
  expect(left).not.toContain(over)
  for (const path of [`/jobs/${over}`, `/job/${over}/status`, `/history/${over}`])
    expectRefusal(await get(path), 404, 'NOT_FOUND')
  expectRefusal(await request('POST', `/jobs/${over}/cancel`), 404, 'NOT_FOUND')
  expect((await get('/history')).text).not.toContain(over)
  await cancelAll(subject, others)
  await subject.idle()
  expect(await wordsOf(subject, [running, waiting])).toEqual(['completed', 'completed'])
  for (const id of all) expect(await remove(id)).toEqual([204, ''])
  for (const id of all) expect(await listed(subject, '?limit=1000')).not.toContain(id)
  expect((await remove(nobody))[0]).toBe(404)
})

proves('messages/hosted-early-cancel', async (subject) => {
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  const ids = await submitAll(subject, ['a', 'b', 'c'].map(talking))
  const [byJob = '', byJobs = '', byQueue = ''] = ids
  await cancel(subject, byJob)
  await subject.post('/jobs/cancel', { job_ids: [byJobs] })
  await subject.post('/queue', { delete: [byQueue] })
  for (const id of ids) {
    await subject.reach(session, isOf('execution_interrupted', id))
    const { execution_status } = await detailOf(subject, id)
    const own = session.messages().filter(({ data }) => data['prompt_id'] === id)
    const data = { prompt_id: id, executed: [], timestamp: expect.any(Number) }
    expect(own).toEqual([{ type: 'execution_interrupted', data }])
    expect(judgeOrder('hosted', own)).toEqual([])
    expect(execution_status.messages).toEqual([['execution_interrupted', own[0]?.data]])
  }
  await cancelAll(subject, busy)
  await subject.idle()
  const starts = session.messages().filter(({ type }) => type === 'execution_start')
  for (const id of ids) expect(starts.map(({ data }) => data['prompt_id'])).not.toContain(id)
})

proves('jobs/concurrency', async (subject) => {
  const session = await subject.connect()
  await expectAlone(subject, [])
  const busy = await keepBusy(subject)
  const waiting = await submitAll(subject, ['a', 'b'].map(talking))
  await expectAlone(subject, [...busy, ...waiting])
  await subject.reach(session, isOf('execution_start', busy.at(-1) as string))
  expect(await queued(subject)).toEqual({ running: busy, pending: waiting })
  expect(await wordsOf(subject, waiting)).toEqual(['pending', 'pending'])
  // The first end makes room for one more.
  await cancel(subject, busy[0])
  await subject.reach(session, isOf('execution_success', waiting[0] as string))
  expect(await wordOf(subject, busy[0])).toBe('cancelled')
})

proves('jobs/queue-reason', async (subject) => {
  const busy = await keepBusy(subject)
  const [a = '', b = '', c = ''] = await submitAll(subject, ['a', 'b', 'c'].map(talking))
  const positionOf = async (id: string): Promise<number> => {
    const { queue_reason, queue_position } = await detailOf(subject, id)
    expect({ id, queue_reason }).toEqual({ id, queue_reason: 'concurrency_limit' })
    return queue_position
  }
  const expectFree = async (id: string) =>
    expect(await detailOf(subject, id)).toMatchObject({ queue_reason: null, queue_position: null })
  await expectFree(busy[0])
  const before = await positionOf(c)
  const first = await positionOf(a)
  expect(first).toBeGreaterThan(0)
  expect(before).toBeGreaterThan(first + 1)
  await cancel(subject, b)
  await expectFree(b)
  expect(await positionOf(c)).toBeLessThan(before)
  await cancelAll(subject, busy)
  await subject.idle()
  await expectFree(c)
})
