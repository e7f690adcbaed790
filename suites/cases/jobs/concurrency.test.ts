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
