// Cancelling and deleting hosted jobs.

import { slow, solid, talking } from '../../generate/graphs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { cancel, detailOf, isOf, oneAtATime, submitAll, wordOf } from '../../judge/hosted/jobs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

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
