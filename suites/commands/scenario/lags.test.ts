// Run rules that let records and messages lag behind.

import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { wordOf } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { scripted } from '../../support/scripted.ts'
import { endsRun } from '../../judge/responses.ts'
import { transcript } from '../../support/transcript.ts'

proves(
  'scenario/history-lag',
  async ({ emulator, deployment, submit, connect, reach, queue, history, finished }) => {
    const session = await connect('me')
    const { prompt_id } = (await submit(solid(), { client_id: 'me' })).json()
    await reach(session, endsRun(deployment, prompt_id))
    await emulator!.advance(2999)
    expect(await history()).toEqual([])
    expect(await finished(prompt_id)).toBeUndefined()
    const { running, pending } = await queue()
    expect([running.map((run) => run.prompt_id), pending]).toEqual([[prompt_id], []])
    expect(running[0]?.graph).toEqual(solid())
    await emulator!.advance(1)
    expect(await history()).toEqual([prompt_id])
    expect((await finished(prompt_id))?.status.status_str).toBe('success')
    expect((await queue()).running).toEqual([])
  },
  scripted({ runs: [{ historyLagMs: 3000 }] }),
)

proves(
  'scenario/history-lag',
  async ({ emulator, submit, history, get }) => {
    await submit(solid())
    // The end of the lag is due: the wait includes it.
    await emulator!.advance(1000)
    const remaining = (await get('/prompt')).json()
    expect(remaining).toEqual({ exec_info: { queue_remaining: 1 } })
    await emulator!.until('idle')
    expect(await history()).toHaveLength(1)
  },
  scripted({ runs: [{ historyLagMs: 3000 }] }, { deployment: 'local' }),
)

proves(
  'scenario/job-lag',
  async (subject) => {
    const { emulator, deployment, submit, connect, reach, history, get } = subject
    const session = await connect('me')
    const { prompt_id } = (await submit(solid())).json()
    await reach(session, endsRun(deployment, prompt_id))
    await emulator!.advance(2999)
    expect(await history()).toEqual([prompt_id])
    expect(await wordOf(subject, prompt_id)).toBe('in_progress')
    const listed = async (): Promise<unknown> => (await get('/jobs')).json().jobs[0].status
    expect(await listed()).toBe('in_progress')
    await emulator!.advance(1)
    expect(await wordOf(subject, prompt_id)).toBe('completed')
    expect(await listed()).toBe('completed')
  },
  scripted({ runs: [{ jobLagMs: 3000 }] }),
)

proves(
  'scenario/socket-lag',
  async (subject) => {
    const { emulator, submit, connect, history } = subject
    const [late, plain] = [await connect('me'), await connect('other')]
    await submit(solid(), { client_id: 'me' })
    await emulator!.advance(2999)
    expect(await history()).toHaveLength(1)
    await Promise.all([late.settled(), plain.settled()])
    // Only the submit itself has been announced so far.
    expect(transcript(late.messages()).slice(1)).toEqual(['status 1'])
    await emulator!.until('idle')
    await late.settled()
    const lines = transcript(late.messages()).slice(2)
    expect(lines[0]).toBe('status 1')
    expect(lines).toContain('executing 2')
    expect(lines.indexOf('executing 1')).toBeLessThan(lines.indexOf('executing 2'))
    expect(lines.indexOf('executing 2')).toBeLessThan(lines.indexOf('execution_success'))
  },
  scripted({ runs: [{ socketLagMs: 3000 }] }, { pace: 1 }),
)

proves(
  'scenario/socket-lag',
  async ({ emulator, submit, connect }) => {
    const session = await connect('me')
    await submit(solid(), { client_id: 'me' })
    await emulator!.advance(1000)
    // A late message finds its socket closed.
    await session.close()
    await emulator!.until('idle')
    const again = await connect('me')
    expect(transcript(again.messages())).toEqual(['status 0'])
  },
  scripted({ runs: [{ socketLagMs: 3000 }] }),
)
