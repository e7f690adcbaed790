// The reports of any hosted server about the requesting account.

import { hostedFeatures } from '../../../spec/server/messages.ts'
import { queueLength } from '../../../spec/server/system.ts'
import { talking } from '../../generate/graphs.ts'
import { cancelAll, isAtWork, keepBusy } from '../../judge/hosted/busy-account.ts'
import { cancel, fitting, isOf, queued, submitAll, submitOne } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { Skip } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

proves('system/hosted-features', async ({ get }) => {
  const { max_concurrent_jobs } = fitting(hostedFeatures, await get('/features'))
  expect(Number.isInteger(max_concurrent_jobs)).toBe(true)
  expect(max_concurrent_jobs).toBeGreaterThan(0)
})

const endings = new Set(['execution_success', 'execution_interrupted'])

// What is submitted while as many as it says are at work starts when one of them has ended.
proves('system/hosted-features', async (subject) => {
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  await subject.reach(session, isAtWork(busy.at(-1) as string))
  const next = await submitOne(subject, talking())
  await cancel(subject, busy[0])
  await subject.reach(session, isOf('execution_start', next))
  const messages = session.messages()
  const starts = messages.findIndex(isOf('execution_start', next))
  const isEnd = messages
    .slice(0, starts)
    .some(({ type, data }) => endings.has(type) && busy.includes(String(data['prompt_id'])))
  expect({ isEnd }).toEqual({ isEnd: true })
  await cancelAll(subject, busy)
})

proves(
  'system/queue-length',
  async (subject) => {
    const busy = await keepBusy(subject)
    const own = [...busy, ...(await submitAll(subject, ['a', 'b'].map(talking)))]
    const before = await queued(subject)
    const { exec_info } = fitting(queueLength, await subject.get('/prompt'))
    const after = await queued(subject)
    const listed = [...before.running, ...before.pending, ...after.running, ...after.pending]
    if (listed.some((id) => !own.includes(id)))
      throw new Skip('busy', 'Runs of somebody else with this key are in the queue.')
    expect(exec_info).toEqual({ queue_remaining: own.length })
  },
  hosted,
)
