// Cancelling jobs of either deployment, one or many, and deleting hosted ones.

import { cancelledJob, cancelledJobs } from '../../../spec/server/jobs.ts'
import { slow, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, keepBusy } from '../../judge/hosted/busy-account.ts'
import {
  cancel,
  detailOf,
  fitting,
  isOf,
  listed,
  nobody,
  submitAll,
  submitOne,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { busy, messagesAbout } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { endsRun } from '../../judge/responses.ts'
import { exchanges, type Row } from '../../judge/rows.ts'
import { expectRefusal, refusal } from '../../judge/hosted/refusals.ts'
import { jobClient } from '../../judge/job-client.ts'

const hostedCancel = ['jobs/cancel', 'jobs/cancel-running'] as const

for (const rules of [hostedCancel, 'local-jobs/cancel'] as const)
  proves(rules, async (subject) => {
    const isHosted = subject.deployment === 'hosted'
    const { cancel } = await jobClient(subject)
    const { session, held, pend, pending } = await busy(subject)
    const [first = '', second = ''] = await pend('first', 'second')
    expect(await cancel(first)).toBe(true)
    if (isHosted) expect(await wordOf(subject, first)).toBe('cancelled')
    expect(await cancel(first)).toBe(false)
    expect(await pending([first, second])).toEqual([second])
    expect(await cancel(held.prompt_id)).toBe(true)
    if (isHosted) expect(await cancel(held.prompt_id)).toBe(false)
    const { data } = await subject.reach(session, isOf('execution_interrupted', held.prompt_id))
    expect(Object.keys(held.graph)).toContain(data['node_id'])
    if (isHosted) await held.stop()
    // The next run is not affected.
    await subject.reach(session, endsRun(subject.deployment, second))
    expect((await subject.finished(second))?.status.status_str).toBe('success')
    const types = messagesAbout(session, held.prompt_id).map(({ type }) => type)
    expect(types).not.toContain('execution_success')
    const ids = [held.prompt_id, first, second]
    for (const id of [...ids, ...(isHosted ? [] : [nobody, 'no-uuid'])])
      expect({ id, cancelled: await cancel(id) }).toEqual({ id, cancelled: false })
    if (isHosted)
      expect(await wordsOf(subject, ids)).toEqual(['cancelled', 'cancelled', 'completed'])
    else {
      expect(messagesAbout(session, first)).toEqual([])
      expect(await subject.finished(first)).toBe(undefined)
    }
  })

proves('jobs/cancel-many', async (subject) => {
  const session = await subject.connect()
  const over = (await subject.run(session, talking())).prompt_id
  const ours = await keepBusy(subject)
  const [running] = ours
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
  await cancelAll(subject, ours)
  await subject.idle()
  const words = ['cancelled', 'cancelled', 'completed', 'cancelled']
  expect(await wordsOf(subject, [running, first, second, third])).toEqual(words)
})

proves('local-jobs/cancel-many', async (subject) => {
  const { session, held, pend, pending } = await busy(subject)
  const [first = '', second = '', third = ''] = await pend('first', 'second', 'third')
  const cancelMany = async (...job_ids: readonly string[]): Promise<boolean> =>
    fitting(cancelledJob, await subject.post('/api/jobs/cancel', { job_ids })).cancelled
  expect(await cancelMany()).toBe(false)
  expect(await cancelMany(nobody)).toBe(false)
  expect(await cancelMany(third, nobody, first)).toBe(true)
  expect(await pending([first, second, third])).toEqual([second])
  expect(await cancelMany(held.prompt_id, second)).toBe(true)
  await subject.reach(session, endsRun('local', held.prompt_id))
  await subject.idle()
  expect(await subject.finished(second)).toBe(undefined)
  expect(await cancelMany(held.prompt_id, first, second)).toBe(false)
})

proves('jobs/cancel-many-body', async (subject) => {
  const id = await submitOne(subject, await subject.workloads.slow())
  const wrong: readonly unknown[] = [
    undefined,
    '',
    'no JSON',
    'null',
    '[]',
    `"${id}"`,
    `["${id}"]`,
    {},
    { job_ids: [] },
    { job_ids: id },
    { job_ids: null },
    { job_ids: [7] },
    { job_ids: [id, 'no-uuid'] },
    { job_ids: [id], more: 1 },
    { job_ids: Array.from({ length: 101 }, () => id) },
  ]
  await exchanges(
    subject,
    wrong.map((body): Row => ['POST', '/jobs/cancel', body, 400, refusal('BAD_REQUEST')]),
  )
  expect(await wordOf(subject, id)).not.toBe('cancelled')
  const next = await submitOne(subject, await subject.workloads.slow())
  const most = { job_ids: Array.from({ length: 100 }, () => next) }
  await exchanges(subject, [['POST', '/jobs/cancel', most, 200, { cancelled: [next] }]])
})

proves('local-jobs/cancel-many-body', async (subject) => {
  const { held, pend, pending } = await busy(subject)
  const [waiting = ''] = await pend('waiting')
  const refused = (body: unknown, error: string, more = {}): Row => [
    'POST',
    '/api/jobs/cancel',
    body,
    400,
    { error, ...more },
  ]
  const noLists = ['[]', 'null', '3', '{}', { job_ids: waiting }, { job_ids: null }]
  const bad = ['x', 3, null, waiting.toUpperCase(), waiting.replaceAll('-', ''), true]
  const invalid_ids = ['x', '3', 'None', waiting.toUpperCase(), waiting.replaceAll('-', ''), 'True']
  await exchanges(subject, [
    ...['', 'no JSON', '{"job_ids"'].map((body) =>
      refused(body, 'Request body must be valid JSON'),
    ),
    ...noLists.map((body) => refused(body, 'job_ids must be a list')),
    refused({ job_ids: [waiting, ...bad] }, 'job_ids contains invalid id(s)', { invalid_ids }),
  ])
  expect(await pending([waiting])).toEqual([waiting])
  await held.stop()
})

proves('jobs/delete', async (subject) => {
  const { get, request } = subject
  const session = await subject.connect()
  const over = (await subject.run(session, talking())).prompt_id
  const [running, ...others] = await keepBusy(subject)
  const waiting = await submitOne(subject, talking('later'))
  const all = [over, running, waiting]
  const removals = all.map((id): Row => ['DELETE', `/jobs/${id}`, undefined, 204, ''])
  await exchanges(subject, removals)
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
  await exchanges(subject, [...removals, ['DELETE', `/jobs/${nobody}`, undefined, 404]])
  for (const id of all) expect(await listed(subject, '?limit=1000')).not.toContain(id)
})

proves('jobs/delete-keeps-files', async (subject) => {
  const { entry, prompt_id } = await subject.run(await subject.connect(), solid())
  const { filename } = entry.outputs['2'].images[0]
  const view = async () => (await subject.get(`/view?filename=${filename}&type=output`)).status
  const before = await view()
  expect([200, 302]).toContain(before)
  await subject.request('DELETE', `/jobs/${prompt_id}`)
  expect(await view()).toBe(before)
})

proves('messages/hosted-early-cancel', async (subject) => {
  const session = await subject.connect()
  const ours = await keepBusy(subject)
  const ids = await submitAll(subject, ['a', 'b', 'c'].map(talking))
  const [byJob = '', byJobs = '', byQueue = ''] = ids
  await cancel(subject, byJob)
  await subject.post('/jobs/cancel', { job_ids: [byJobs] })
  await subject.post('/queue', { delete: [byQueue] })
  if (subject.isOwn) {
    ids.push(await submitOne(subject, talking()))
    await subject.post('/queue', { clear: true })
  }
  for (const id of ids) {
    await subject.reach(session, isOf('execution_interrupted', id))
    const { execution_status } = await detailOf(subject, id)
    const own = messagesAbout(session, id)
    const data = { prompt_id: id, executed: [], timestamp: expect.any(Number) }
    expect(own).toEqual([{ type: 'execution_interrupted', data }])
    expect(judgeOrder('hosted', own)).toEqual([])
    expect(execution_status.messages).toEqual([['execution_interrupted', own[0]?.data]])
  }
  if (subject.isOwn) {
    const left = session.messages().filter(({ type }) => type === 'status')
    const exec_info = { queue_remaining: ours.length }
    expect(left.at(-1)?.data['status']).toEqual({ exec_info })
    expect(await wordOf(subject, ids.at(-1)!)).toBe('cancelled')
  }
  await cancelAll(subject, ours)
  await subject.idle()
  const starts = session.messages().filter(({ type }) => type === 'execution_start')
  for (const id of ids) expect(starts.map(({ data }) => data['prompt_id'])).not.toContain(id)
})

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

proves('local-jobs/paths', async (subject) => {
  const { prompt_id } = (await subject.submit(talking(subject.unique('paths')))).json()
  await subject.idle()
  await exchanges(subject, [
    ['POST', `/api/api/jobs/${prompt_id}/cancel`, '{}', 200],
    ['POST', `/jobs/${prompt_id}/cancel`, '{}', 405],
    ['POST', '/jobs/cancel', '{}', 405],
  ])
})
