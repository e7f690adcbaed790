// The hosted queue: its listing, and removing from it.

import { hostedQueueListing, hostedQueueResult } from '../../../spec/server/queue.ts'
import { node, solid, talking } from '../../generate/graphs.ts'
import {
  detailOf,
  expectRefusal,
  fitting,
  oneAtATime,
  oneRuns,
  submitAll,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** Changes the queue, and returns the server's result. */
const change = async ({ post }: Subject, value: object) =>
  fitting(hostedQueueResult, await post('/queue', value))

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

proves('history/hosted-closed-body', async (subject) => {
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, talking())
  await expectClosed(subject, '/history')
  expect((await subject.get(`/history/${prompt_id}`)).status).toBe(200)
})
