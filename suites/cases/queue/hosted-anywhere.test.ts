// The hosted queue on any server: the own runs in it, and removing them from it.

import { hostedQueueListing, hostedQueueResult } from '../../../spec/server/queue.ts'
import { node, solid, talking } from '../../generate/graphs.ts'
import { cancelAll, keepBusy, newColor } from '../../judge/hosted/busy-account.ts'
import {
  detailOf,
  expectRefusal,
  fitting,
  nobody,
  queued,
  submitAll,
  submitOne,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

/** Changes the queue, and returns the server's result. */
const change = async ({ post }: Subject, value: object) =>
  fitting(hostedQueueResult, await post('/queue', value))

/** Which of these runs the queue lists, in its order. */
async function ownQueued(subject: Subject, own: readonly string[]) {
  const { running, pending } = await queued(subject)
  const isOwn = (id: string): boolean => own.includes(id)
  return { running: running.filter(isOwn), pending: pending.filter(isOwn) }
}

proves(
  'queue/listing',
  async (subject) => {
    const busy = await keepBusy(subject)
    const waiting = await submitAll(subject, ['a', 'b'].map(talking))
    fitting(hostedQueueListing, await subject.get('/queue'))
    const own = [busy[0], ...waiting]
    expect(await ownQueued(subject, own)).toEqual({ running: [busy[0]], pending: waiting })
    await cancelAll(subject, busy)
    await subject.idle()
    expect(await ownQueued(subject, own)).toEqual({ running: [], pending: [] })
  },
  hosted,
)

proves('queue/hosted-item', async (subject) => {
  await keepBusy(subject)
  const graph = { ...solid(newColor(subject, 'item')), '3': node('PreviewAny', { source: 'a' }) }
  const extra_data = { extra_pnginfo: { workflow: { mine: 1 } } }
  const ids = await submitAll(subject, [graph, graph], { extra_data })
  const { queue_pending } = fitting(hostedQueueListing, await subject.get('/queue'))
  const own = queue_pending.filter(([, id]: [number, string]) => ids.includes(id))
  const items = await Promise.all(
    ids.map(async (id) => {
      const { create_time } = await detailOf(subject, id)
      return [expect.any(Number), id, graph, ['2', '3'], { create_time }]
    }),
  )
  expect(own).toEqual(items)
  const [[first], [second]] = own
  expect(second).toBeGreaterThan(first)
})

proves(
  'queue/clear',
  async (subject) => {
    const busy = await keepBusy(subject)
    const [running, ...others] = busy
    const waiting = await submitAll(subject, ['a', 'b'].map(talking))
    const own = [running, ...waiting]
    expect(await change(subject, { clear: false })).toEqual({ deleted: [], cleared: false })
    expect(await ownQueued(subject, own)).toEqual({ running: [running], pending: waiting })
    expect(await change(subject, { clear: true })).toEqual({ deleted: [], cleared: true })
    expect(await ownQueued(subject, own)).toEqual({ running: [running], pending: [] })
    await cancelAll(subject, others)
    const after = await submitOne(subject, talking())
    await subject.idle()
    expect(await wordsOf(subject, [running, after])).toEqual(['completed', 'completed'])
  },
  hosted,
)

proves(
  'queue/delete',
  async (subject) => {
    const busy = await keepBusy(subject)
    const ids = await submitAll(subject, ['a', 'b', 'c', 'd'].map(talking))
    const [a = '', b = '', c = '', d = ''] = ids
    expect((await change(subject, { delete: [d, b] })).deleted).toEqual([d, b])
    expect((await ownQueued(subject, ids)).pending).toEqual([a, c])
    expect((await change(subject, { delete: [] })).deleted).toEqual([])
    await cancelAll(subject, busy)
    await subject.idle()
    const words = ['completed', 'cancelled', 'completed', 'cancelled']
    expect(await wordsOf(subject, ids)).toEqual(words)
  },
  hosted,
)

proves(
  'queue/running-is-spared',
  async (subject) => {
    const [running, ...others] = await keepBusy(subject)
    const waiting = await submitOne(subject, talking())
    expect((await change(subject, { delete: [running, nobody, 'x'] })).deleted).toEqual([])
    const own = [running, waiting]
    expect(await ownQueued(subject, own)).toEqual({ running: [running], pending: [waiting] })
    await cancelAll(subject, others)
    await subject.idle()
    expect(await wordOf(subject, running)).toBe('completed')
  },
  hosted,
)

provesQuirk('hosted.delete-running', async (subject) => {
  const [running, ...others] = await keepBusy(subject)
  expect((await change(subject, { delete: [running] })).deleted).toEqual([running])
  await cancelAll(subject, others)
})

proves('queue/hosted-result', async (subject) => {
  const [running] = await keepBusy(subject)
  const [a = '', b = '', c = ''] = await submitAll(subject, ['a', 'b', 'c'].map(talking))
  const asked = [b, nobody, running, b]
  expect(await change(subject, { delete: asked })).toEqual({ deleted: [b], cleared: false })
  expect(await change(subject, {})).toEqual({ deleted: [], cleared: false })
  const again = await change(subject, { delete: [c, b], clear: false })
  expect(again).toEqual({ deleted: [c], cleared: false })
  expect(await wordsOf(subject, [a, b, c])).toEqual(['pending', 'cancelled', 'cancelled'])
})

const closedBodies: readonly unknown[] = [
  [],
  null,
  'clear',
  { delete: 'a' },
  { delete: [1] },
  { delete: {} },
  { delete: [], more: 1 },
  { ids: [] },
]

proves('queue/hosted-closed-body', async (subject) => {
  const id = await submitOne(subject, await subject.workloads.slow())
  const bodies = [undefined, '', 'no JSON', ...closedBodies.map((one) => JSON.stringify(one))]
  for (const body of bodies)
    expectRefusal(await subject.request('POST', '/queue', body), 400, 'BAD_REQUEST')
  expect(await wordOf(subject, id)).not.toBe('cancelled')
})

proves('queue/hosted-removed-is-cancelled', async (subject) => {
  await keepBusy(subject)
  const id = await submitOne(subject, solid())
  await change(subject, { delete: [id] })
  const detail = await detailOf(subject, id)
  expect(detail).toMatchObject({ status: 'cancelled', outputs: {}, outputs_count: 0 })
  expect(detail.execution_status).toMatchObject({ status_str: 'error', completed: false })
  for (const name of ['execution_start_time', 'execution_end_time', 'execution_error'])
    expect(detail).not.toHaveProperty(name)
  expectRefusal(await subject.get(`/history/${id}`), 404, 'NOT_FOUND')
  expect((await subject.get('/history')).text).not.toContain(id)
})
