// The hosted queue: its listing, and removing from it.

import { hostedQueueListing, hostedQueueResult } from '../../../spec/server/queue.ts'
import { node, slow, solid, talking } from '../../generate/graphs.ts'
import {
  detailOf,
  expectRefusal,
  fitting,
  nobody,
  oneAtATime,
  oneRuns,
  queued,
  submitAll,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted', accounts: oneAtATime } as const

/** Changes the queue, and returns the server's result. */
const change = async ({ post }: Subject, value: object) =>
  fitting(hostedQueueResult, await post('/queue', value))

proves(
  'queue/listing',
  async (subject) => {
    const [first = '', second = '', third = ''] = await oneRuns(subject)
    fitting(hostedQueueListing, await subject.get('/queue'))
    expect(await queued(subject)).toEqual({ running: [first], pending: [second, third] })
    await subject.idle()
    expect((await subject.get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
  },
  hosted,
)

proves(
  'queue/hosted-item',
  async (subject) => {
    const graph = { ...solid(), '3': node('FlowdoubleText', { text: 'a' }) }
    const extra_data = { extra_pnginfo: { workflow: { mine: 1 } } }
    const ids = await submitAll(
      subject,
      Array.from({ length: 7 }, () => graph),
      { extra_data },
    )
    const { create_time } = await detailOf(subject, ids[0] as string)
    const items = (of: readonly string[]) =>
      of.map((id, index) => [index + 1, id, graph, ['2', '3'], { create_time }])
    const listed = async () => fitting(hostedQueueListing, await subject.get('/queue'))
    expect(await listed()).toEqual({ queue_running: [], queue_pending: items(ids) })
    await subject.emulator?.advance(25)
    const [running, pending] = [ids.slice(0, 5), ids.slice(5)]
    expect(await listed()).toEqual({ queue_running: items(running), queue_pending: items(pending) })
  },
  ownWorld,
)

proves(
  'queue/clear',
  async (subject) => {
    const [running = '', ...waiting] = await oneRuns(subject, 4)
    expect(await change(subject, { clear: false })).toEqual({ deleted: [], cleared: false })
    expect(await queued(subject)).toEqual({ running: [running], pending: waiting })
    expect(await change(subject, { clear: true })).toEqual({ deleted: [], cleared: true })
    expect(await queued(subject)).toEqual({ running: [running], pending: [] })
    const [after = ''] = await submitAll(subject, [talking()])
    await subject.idle()
    expect(await wordsOf(subject, [running, after])).toEqual(['completed', 'completed'])
  },
  hosted,
)

proves(
  'queue/delete',
  async (subject) => {
    const [a = '', b = '', c = '', d = ''] = await submitAll(
      subject,
      ['a', 'b', 'c', 'd'].map(talking),
    )
    expect((await change(subject, { delete: [d, b] })).deleted).toEqual([d, b])
    expect((await queued(subject)).pending).toEqual([a, c])
    expect((await change(subject, { delete: [] })).deleted).toEqual([])
    await subject.idle()
    const words = ['completed', 'cancelled', 'completed', 'cancelled']
    expect(await wordsOf(subject, [a, b, c, d])).toEqual(words)
  },
  hosted,
)

proves(
  'queue/running-is-spared',
  async (subject) => {
    const [running = '', waiting = ''] = await oneRuns(subject, 2)
    expect((await change(subject, { delete: [running, nobody, 'x'] })).deleted).toEqual([])
    expect(await queued(subject)).toEqual({ running: [running], pending: [waiting] })
    await change(subject, { clear: true, delete: [running] })
    expect(await queued(subject)).toEqual({ running: [running], pending: [] })
    await subject.idle()
    expect(await wordOf(subject, running)).toBe('completed')
  },
  hosted,
)

provesQuirk(
  'hosted.delete-running',
  async (subject) => {
    const [running = '', waiting = '', last = ''] = await oneRuns(subject)
    expect((await change(subject, { delete: [running, last] })).deleted).toEqual([running, last])
    await subject.idle()
    const words = ['cancelled', 'completed', 'cancelled']
    expect(await wordsOf(subject, [running, waiting, last])).toEqual(words)
    const [spared = ''] = await oneRuns(subject, 2)
    await change(subject, { clear: true })
    await subject.idle()
    expect(await wordOf(subject, spared)).toBe('completed')
  },
  { accounts: oneAtATime },
)

proves(
  'queue/hosted-result',
  async (subject) => {
    const [running = '', a = '', b = '', c = ''] = await oneRuns(subject, 4)
    const asked = [b, nobody, running, b]
    expect(await change(subject, { delete: asked })).toEqual({ deleted: [b], cleared: false })
    expect(await change(subject, {})).toEqual({ deleted: [], cleared: false })
    const both = await change(subject, { delete: [c, b], clear: true })
    expect(both).toEqual({ deleted: [c], cleared: true })
    expect(await wordsOf(subject, [a, b, c])).toEqual(['cancelled', 'cancelled', 'cancelled'])
  },
  { accounts: oneAtATime },
)

const closedBodies: readonly unknown[] = [
  [],
  null,
  'clear',
  { clear: 'true' },
  { clear: 1 },
  { delete: 'a' },
  { delete: [1] },
  { delete: {} },
  { clear: true, more: 1 },
  { ids: [] },
]

/** Expects that a path takes `clear` and `delete`, and nothing else. */
async function expectClosed({ request }: Subject, path: string): Promise<void> {
  for (const text of [undefined, '', 'no JSON', ...closedBodies.map((one) => JSON.stringify(one))])
    expectRefusal(await request('POST', path, text), 400, 'BAD_REQUEST')
}

proves(
  'queue/hosted-closed-body',
  async (subject) => {
    const [id = ''] = await submitAll(subject, [slow()])
    await expectClosed(subject, '/queue')
    expect(await wordOf(subject, id)).toBe('pending')
  },
  ownWorld,
)

proves('history/hosted-closed-body', async (subject) => {
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, talking())
  await expectClosed(subject, '/history')
  expect((await subject.get(`/history/${prompt_id}`)).status).toBe(200)
})

proves(
  'queue/hosted-removed-is-cancelled',
  async (subject) => {
    const [deleted = '', cleared = ''] = await submitAll(subject, [solid(), solid()])
    await change(subject, { delete: [deleted] })
    await change(subject, { clear: true })
    for (const id of [deleted, cleared]) {
      const detail = await detailOf(subject, id)
      expect(detail).toMatchObject({ status: 'cancelled', outputs: {}, outputs_count: 0 })
      expect(detail.execution_status).toMatchObject({ status_str: 'error', completed: false })
      for (const key of ['execution_start_time', 'execution_end_time', 'execution_error'])
        expect(detail).not.toHaveProperty(key)
      expectRefusal(await subject.get(`/history/${id}`), 404, 'NOT_FOUND')
    }
    expect((await subject.get('/history')).json()).toEqual({ history: [] })
  },
  { accounts: oneAtATime },
)
