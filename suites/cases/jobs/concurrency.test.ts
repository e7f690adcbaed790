// The number of hosted jobs that run at a time, and the reports of waiting ones.

import { tiers } from '../../../spec/server/access.ts'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, expectAlone, keepBusy } from '../../judge/hosted/busy-account.ts'
import {
  account,
  cancel,
  detailOf,
  isOf,
  submitAll,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { listedIds } from '../../judge/responses.ts'

// A free account cannot submit. Worlds have an account of the tier pro, a server elsewhere has what it has.
for (const tier of ['standard', 'creator', 'pro'] as const)
  proves(
    'jobs/concurrency',
    async (subject) => {
      const session = await subject.connect()
      await expectAlone(subject, [])
      const busy = await keepBusy(subject)
      if (subject.isOwn) expect(busy).toHaveLength(tiers[tier].runsAtATime)
      const waiting = await submitAll(subject, ['a', 'b'].map(talking))
      await expectAlone(subject, [...busy, ...waiting])
      await subject.reach(session, isOf('execution_start', busy.at(-1) as string))
      expect(await listedIds(subject)).toEqual({ running: busy, pending: waiting })
      expect(await wordsOf(subject, waiting)).toEqual(['pending', 'pending'])
      // The first end makes room for one more.
      await cancel(subject, busy[0])
      if (subject.isOwn) {
        await subject.reach(session, isOf('execution_interrupted', busy[0]))
        expect((await listedIds(subject)).pending).toEqual(waiting)
        await subject.reach(session, isOf('execution_start', waiting[0] as string))
        const running = [...busy.slice(1), waiting[0]]
        expect(await listedIds(subject)).toEqual({ running, pending: waiting.slice(1) })
      }
      await subject.reach(session, isOf('execution_success', waiting[0] as string))
      expect(await wordOf(subject, busy[0])).toBe('cancelled')
      if (!subject.isOwn) return
      await subject.idle()
      await session.settled()
      const starts = session.messages().filter(({ type }) => type === 'execution_start')
      expect(starts.map(({ data }) => data['prompt_id'])).toEqual([...busy, ...waiting])
    },
    tier === 'pro' ? {} : { accounts: [account('test-key', tier)] },
  )

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
