// Jobs of the hosted API v2 that wait too long.

import { solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { isFinal, isStatus, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves } from '../../judge/proves.ts'

const waiting = { run: 1, waitMs: 60_000, expiresMs: 5000 }
const started = { run: 2, durationMs: 60_000, expiresMs: 5000 }

proves(
  ['scenario/run-expires', 'v2-jobs/states'],
  async (subject) => {
    const { job, stream, submit, reach } = await v2Of(subject)
    const { id } = await submit(solid())
    const events = await stream(id)
    await subject.emulator?.advance(4999)
    expect((await job(id)).status).toBe('queued')
    await subject.emulator?.advance(1)
    const over = await job(id)
    expect(over).toMatchObject({ status: 'expired', started_at: null, outputs: [], error: null })
    expect(over.completed_at).not.toBeNull()
    expect(isFinal('expired')).toBe(true)
    await reach(events, isStatus('expired'))
    expect(await events.ended).toBe('whole')
    const { jobs } = (await subject.get('/jobs')).json()
    expect(jobs).toMatchObject([{ id, status: 'cancelled' }])
    const other = await submit(talking())
    await subject.emulator?.advance(6000)
    expect((await job(other.id)).status).toBe('running')
    await subject.idle()
    expect((await job(other.id)).status).toBe('succeeded')
  },
  { ...ownWorld, scenario: [{ version: 1, runs: [waiting, started] }] },
)
