// Hosted jobs on any server: what one job reports, whatever else its account does.

import { type JobStatus } from '../../../spec/server/jobs.ts'
import { node, solid, talking } from '../../generate/graphs.ts'
import { cancelAll, isAtWork, keepBusy, newColor } from '../../judge/hosted/busy-account.ts'
import {
  cancel,
  detailOf,
  expectRefusal,
  isOf,
  listedJob,
  nobody,
  statusOf,
  submitAll,
  submitOne,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { proves, provesQuirk, twoAccounts } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { errorOf } from '../../judge/failures.ts'

proves('jobs/status', async (subject) => {
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  const id = await submitOne(subject, await subject.workloads.slow())
  expect(await wordsOf(subject, [busy[0], id])).toEqual(['in_progress', 'pending'])
  await cancelAll(subject, busy)
  await subject.reach(session, isAtWork(id))
  expect(await wordOf(subject, id)).toBe('in_progress')
})

proves('jobs/status-final', async (subject) => {
  const session = await subject.connect()
  const expectFinal = async (id: string, word: JobStatus): Promise<void> => {
    expect(await wordOf(subject, id)).toBe(word)
    expect(await cancel(subject, id)).toBe(false)
    await subject.post('/interrupt', { prompt_id: id })
    await subject.post('/queue', { delete: [id] })
    await subject.run(session, talking(word))
    expect((await detailOf(subject, id)).status).toBe(word)
    expect(await wordOf(subject, id)).toBe(word)
  }
  await expectFinal((await subject.run(session, solid())).prompt_id, 'completed')
  const { graph } = await subject.workloads.failing()
  await expectFinal((await subject.run(session, graph)).prompt_id, 'failed')
  const id = await submitOne(subject, await subject.workloads.slow())
  await subject.reach(session, isAtWork(id))
  await cancel(subject, id)
  await subject.idle()
  await expectFinal(id, 'cancelled')
})

/** A time as the job status writes it. */
const written = (time: number): string => new Date(time).toISOString()

proves('jobs/status-details', async (subject) => {
  const session = await subject.connect()
  const open = await submitOne(subject, await subject.workloads.slow())
  const before = await statusOf(subject, open)
  const { create_time } = await detailOf(subject, open)
  expect(before).toMatchObject({ id: open, created_at: written(create_time), error_message: null })
  await cancel(subject, open)
  const { graph, node_id } = await subject.workloads.failing()
  const { prompt_id } = await subject.run(session, graph)
  const after = await statusOf(subject, prompt_id)
  expect(after.updated_at).toBe(written((await detailOf(subject, prompt_id)).update_time))
  expect(JSON.parse(after.error_message)).toMatchObject({
    exception_message: expect.any(String),
    exception_type: expect.any(String),
    node_id,
    node_type: graph[node_id]?.class_type,
    traceback: expect.any(Array),
  })
})

const outcomes = ['execution_end_time', 'execution_status', 'outputs']

proves('jobs/detail-while-open', async (subject) => {
  const session = await subject.connect()
  const [running] = await keepBusy(subject)
  const waiting = await submitOne(subject, talking())
  for (const id of [waiting, running]) {
    const detail = await detailOf(subject, id)
    for (const name of outcomes) expect(detail).not.toHaveProperty(name)
    expect('execution_start_time' in detail).toBe(id === running)
  }
  await cancelAll(subject, [running])
  await subject.reach(session, isOf('execution_success', waiting))
  const detail = await detailOf(subject, waiting)
  expect(Object.keys(detail)).toEqual(expect.arrayContaining([...outcomes, 'execution_meta']))
})

proves('jobs/detail-times', async (subject) => {
  const session = await subject.connect()
  const [running] = await keepBusy(subject)
  const id = await submitOne(subject, talking())
  const { create_time, update_time } = await detailOf(subject, id)
  expect(update_time).toBe(create_time)
  // Seconds would be a thousand times less.
  expect(new Date(create_time).getUTCFullYear()).toBeGreaterThan(2000)
  const started = await detailOf(subject, running)
  expect(started.update_time).toBe(started.execution_start_time)
  await cancelAll(subject, [running])
  await subject.reach(session, isOf('execution_success', id))
  const ended = await detailOf(subject, id)
  expect(ended).toMatchObject({ create_time, update_time: ended.execution_end_time })
  expect(ended.execution_start_time).toBeGreaterThanOrEqual(create_time)
  expect(ended.execution_end_time).toBeGreaterThanOrEqual(ended.execution_start_time)
  const { execution_start_time, execution_end_time } = ended
  expect(await listedJob(subject, id)).toMatchObject({
    create_time,
    execution_start_time,
    execution_end_time,
  })
})

proves('jobs/detail-error', async (subject) => {
  const session = await subject.connect()
  const { graph, node_id } = await subject.workloads.failing()
  const { prompt_id, messages } = await subject.run(session, graph)
  const { status, execution_error, execution_status } = await detailOf(subject, prompt_id)
  const sent = errorOf({ messages })
  expect(status).toBe('failed')
  expect(execution_status).toMatchObject({ status_str: 'error', completed: false })
  expect(execution_error).toMatchObject({
    node_id,
    node_type: graph[node_id]?.class_type,
    exception_message: sent?.['exception_message'],
    exception_type: sent?.['exception_type'],
    traceback: sent?.['traceback'],
  })
  expect((await listedJob(subject, prompt_id)).execution_error).toEqual(execution_error)
  const fine = await subject.run(session, talking())
  expect(await detailOf(subject, fine.prompt_id)).not.toHaveProperty('execution_error')
})

proves('jobs/detail-workflow', async (subject) => {
  const extra_data = { note: [1, { deep: null }] }
  const graph = {
    ...solid(newColor(subject, 'workflow')),
    '3': node('PreviewAny', { source: 'a' }),
  }
  const [id = ''] = await submitAll(subject, [graph], { extra_data })
  const workflow = { prompt: graph, extra_data: expect.objectContaining(extra_data) }
  expect((await detailOf(subject, id)).workflow).toEqual(workflow)
  await subject.idle()
  expect((await detailOf(subject, id)).workflow).toEqual(workflow)
})

proves('jobs/outputs-counted', async (subject) => {
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, {
    '1': node('EmptyImage', { width: 8, height: 8, batch_size: 3, color: 0 }),
    '2': node('PreviewImage', { images: ['1', 0] }),
    '3': node('SaveImage', { images: ['1', 0], filename_prefix: 'three' }),
    '4': node('PreviewAny', { source: 'no file' }),
  })
  const { outputs, ...detail } = await detailOf(subject, prompt_id)
  const preview_output = { ...outputs['3'].images[0], nodeId: '3', mediaType: 'images' }
  const counted = { outputs_count: 6, previewable_outputs_count: 6, preview_output }
  expect(detail).toMatchObject(counted)
  expect(await listedJob(subject, prompt_id)).toMatchObject(counted)
  const silent = await subject.run(session, talking())
  const nothing = await detailOf(subject, silent.prompt_id)
  expect(nothing).toMatchObject({ outputs_count: 0, previewable_outputs_count: 0 })
  expect(nothing).not.toHaveProperty('preview_output')
})

/** Expects that a job does not exist for an account. */
async function expectUnknown({ request, get, post }: Subject, id: string): Promise<void> {
  for (const path of [`/job/${id}/status`, `/jobs/${id}`, `/history/${id}`])
    expectRefusal(await get(path), 404, 'NOT_FOUND')
  expectRefusal(await request('POST', `/jobs/${id}/cancel`), 404, 'NOT_FOUND')
  expectRefusal(await request('DELETE', `/jobs/${id}`), 404, 'NOT_FOUND')
  expectRefusal(await post('/jobs/cancel', { job_ids: [id] }), 404, 'NOT_FOUND')
  expectRefusal(await post('/interrupt', { prompt_id: id }), 404, 'NOT_FOUND')
  expect((await post('/queue', { delete: [id] })).json().deleted).toEqual([])
}

proves('jobs/unknown', (subject) => expectUnknown(subject, nobody))

proves(
  'jobs/unknown',
  async (subject) => {
    const other = subject.as('other-key')
    const session = await other.connect()
    const over = (await other.run(session, talking())).prompt_id
    const running = await submitOne(other, await other.workloads.slow())
    await other.reach(session, isAtWork(running))
    for (const id of [over, running]) {
      // What its own account has just read stays its own.
      await Promise.all([detailOf(other, id), statusOf(other, id)])
      await expectUnknown(subject, id)
      expect(await listedJob(subject, id)).toBeUndefined()
    }
    await other.reach(session, isOf('execution_success', running))
    expect(await wordsOf(other, [over, running])).toEqual(['completed', 'completed'])
  },
  twoAccounts,
)

provesQuirk('hosted.status-raw-states', async (subject) => {
  const { prompt_id } = await subject.run(await subject.connect(), talking())
  expect((await subject.get(`/job/${prompt_id}/status`)).json()).toMatchObject({
    status: 'success',
  })
})

provesQuirk(
  'hosted.foreign-job-403',
  async (subject) => {
    const other = subject.as('other-key')
    const { prompt_id } = await other.run(await other.connect(), talking())
    for (const path of [`/job/${prompt_id}/status`, `/jobs/${prompt_id}`])
      expectRefusal(await subject.get(path), 403, 'FORBIDDEN')
  },
  twoAccounts,
)
