// The number of hosted jobs that run at a time, and the reports of waiting ones.

import { tiers } from '../../../spec/server/access.ts'
import type { JobStatus } from '../../../spec/server/jobs.ts'
import { slow, talking } from '../../generate/graphs.ts'
import {
  account,
  cancel,
  detailOf,
  isOf,
  queued,
  submitAll,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const words = (word: JobStatus, count: number): JobStatus[] =>
  Array.from({ length: count }, () => word)

// A free account cannot submit.
for (const tier of ['standard', 'creator', 'pro'] as const) {
  const most = tiers[tier].runsAtATime
  proves(
    'jobs/concurrency',
    async (subject) => {
      const session = await subject.connect()
      const graphs = [
        ...Array.from({ length: most }, (_, index) => slow(10 + index)),
        slow(5),
        slow(5),
      ]
      const ids = await submitAll(subject, graphs)
      const waiting = ids.slice(most)
      await subject.reach(session, isOf('execution_start', ids[most - 1] as string))
      expect(await wordsOf(subject, ids)).toEqual([
        ...words('in_progress', most),
        ...words('pending', 2),
      ])
      expect(await queued(subject)).toEqual({ running: ids.slice(0, most), pending: waiting })
      // The first end makes room for one more.
      await subject.reach(session, isOf('execution_success', ids[0] as string))
      expect((await queued(subject)).pending).toEqual(waiting)
      await subject.reach(session, isOf('execution_start', waiting[0] as string))
      expect((await queued(subject)).running).toHaveLength(most)
      expect((await queued(subject)).pending).toEqual(waiting.slice(1))
      await subject.idle()
      expect(await wordsOf(subject, ids)).toEqual(words('completed', most + 2))
      const starts = session.messages().filter(({ type }) => type === 'execution_start')
      expect(starts.map(({ data }) => data['prompt_id'])).toEqual(ids)
    },
    { accounts: [account('test-key', tier)] },
  )
}

// If a worker was notified of a job that is gone, the next job waits as long as any other.
proves(
  ['jobs/concurrency', 'queue/start-delay'],
  async (subject) => {
    const session = await subject.connect()
    const [gone = ''] = await submitAll(subject, [talking()])
    await subject.emulator?.advance(20)
    const [kept = '', other = ''] = await submitAll(subject, [talking(), talking()])
    await cancel(subject, gone)
    const submitted = (await detailOf(subject, kept)).create_time
    for (const id of [kept, other]) {
      const { data } = await subject.reach(session, isOf('execution_start', id))
      expect(data['timestamp']).toBe(submitted + 25)
    }
  },
  ownWorld,
)

proves(
  'jobs/queue-reason',
  async (subject) => {
    const session = await subject.connect()
    const most = tiers.pro.runsAtATime
    const graphs = Array.from({ length: most + 3 }, () => slow())
    const ids = await submitAll(subject, graphs)
    const [a = '', b = '', c = ''] = ids.slice(most)
    const waitOf = async (id: string) => {
      const { queue_reason, queue_position } = await detailOf(subject, id)
      return [queue_reason, queue_position]
    }
    const expectPlaces = async (...held: readonly string[]) => {
      const expected = held.map((_, index) => ['concurrency_limit', index + 1])
      expect(await Promise.all(held.map(waitOf))).toEqual(expected)
    }
    // Pending too, but nothing blocks it.
    expect(await waitOf(ids[most - 1] as string)).toEqual([null, null])
    await expectPlaces(a, b, c)
    await subject.reach(session, isOf('execution_start', ids[most - 1] as string))
    expect(await waitOf(ids[0] as string)).toEqual([null, null])
    await expectPlaces(a, b, c)
    await cancel(subject, b)
    await expectPlaces(a, c)
    expect(await waitOf(b)).toEqual([null, null])
    await subject.reach(session, isOf('execution_start', a))
    await subject.idle()
    expect(await waitOf(c)).toEqual([null, null])
  },
  ownWorld,
)
