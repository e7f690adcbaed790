// Run rules about time and outcome, and those that let records and messages lag behind.

import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { oneAtATimeOn, wordOf } from '../../judge/hosted/jobs.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { expectRuns, provesRuns, runAlone, scripted, stepsOf } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'
import { both } from '../../../spec/language.ts'
import { endsRun } from '../../judge/responses.ts'

for (const deployment of both)
  proves(
    'scenario/run-wait',
    async ({ emulator, submit, queue, history, post }) => {
      const waiting = async (): Promise<number> => (await queue()).pending.length
      const { prompt_id } = (await submit(solid(1))).json()
      await submit(solid(2))
      await emulator!.advance(4999)
      expect([await waiting(), await history()]).toEqual([2, []])
      await emulator!.advance(1)
      expect(await waiting()).toBe(1)
      await emulator!.until('idle')
      expect(await history()).toHaveLength(2)
      // One that is deleted while it waits does not hold up those behind it.
      await emulator!.reset()
      expect((await submit(solid(1))).json()).toMatchObject({ prompt_id })
      await submit(solid(2))
      await post('/queue', { delete: [prompt_id] })
      await emulator!.advance(1000)
      expect(await queue()).toMatchObject({ running: [], pending: [] })
    },
    scripted({ runs: [{ run: 1, waitMs: 5000 }] }, oneAtATimeOn(deployment)),
  )

proves(
  'scenario/run-wait',
  async ({ emulator, submit, queue }) => {
    await submit(solid(1))
    await submit(solid(2), { front: true })
    await emulator!.advance(1000)
    expect((await queue()).pending).toHaveLength(1)
  },
  scripted({ runs: [{ run: 1, waitMs: 5000 }] }, { deployment: 'local' }),
)

// Where everything is cached, the run takes as long.
provesRuns(
  'scenario/run-duration',
  scripted({ runs: [{ durationMs: 60_000 }] }),
  [textToImage(1, 4), { steps: { '3': '1/4 2/4 3/4 4/4' }, lastedMs: 60_000 }],
  [textToImage(1, 4), { started: [], lastedMs: 60_000 }],
)

proves(
  'scenario/run-duration',
  async ({ emulator, submit, connect }) => {
    const session = await connect('me')
    await submit(slow(1, 4), { client_id: 'me' })
    await emulator!.untilMessage('execution_start')
    await emulator!.advance(2000)
    await session.settled()
    expect(stepsOf(session.messages(), '1')).toEqual([1, 2])
  },
  scripted({ runs: [{ durationMs: 4000 }] }),
)

proves(
  'scenario/run-never-ends',
  async (subject) => {
    const { emulator, submit, connect, post, queue, history, finished } = subject
    const session = await connect('me')
    const { prompt_id } = (await submit(solid(), { client_id: 'me' })).json()
    await emulator!.untilMessage('executing', { node: '2' })
    await emulator!.advance(86_400_000)
    expect(await history()).toEqual([])
    expect((await queue()).running.map((run) => run.prompt_id)).toEqual([prompt_id])
    await session.settled()
    expect(transcript(session.messages()).at(-1)).toBe('executing 2')
    // Nothing is due while it hangs: a wait for an effect ends.
    await expect(emulator!.until('success')).rejects.toThrow('A run that never ends has no timer')
    await post('/interrupt', {})
    await emulator!.until('idle')
    const entry = await finished(prompt_id)
    expect(entry?.status.messages.at(-1)).toMatchObject(['execution_interrupted', { node_id: '2' }])
  },
  scripted({ runs: [{ neverEnds: true }] }),
)

proves(
  ['scenario/run-never-ends', 'scenario/run-never-ends-idle'],
  async (subject) => {
    const { emulator, submit, post, queue, finished } = subject
    await runAlone(subject, solid())
    const { prompt_id } = (await submit(solid())).json()
    await emulator!.until('idle')
    expect((await queue()).running.map((run) => run.prompt_id)).toEqual([prompt_id])
    await post('/interrupt', {})
    await emulator!.until('idle')
    const entry = await finished(prompt_id)
    expect(entry?.status.messages.at(-1)?.[0]).toBe('execution_interrupted')
  },
  scripted({ runs: [{ run: 2, neverEnds: true }] }),
)

const [success, interrupted] = ['execution_success', 'execution_interrupted 2']

provesRuns(
  'scenario/run-outcome',
  scripted({
    runs: [
      { run: 1, outcome: 'error' },
      { run: 2, outcome: 'interrupted' },
      { run: 3, outcome: 'success' },
      { run: 4, outcome: 'error', exception_type: 'OOMError', exception_message: 'no room' },
    ],
  }),
  (deployment) => [
    [
      solid(1),
      {
        end: `execution_error 2 ${deployment === 'hosted' ? 'ValidationError' : 'RuntimeError'}`,
        outputs: { '2': { images: [expect.any(Object)] } },
      },
    ],
    [solid(2), { end: interrupted }],
    [solid(3), { end: success }],
    [
      solid(4),
      {
        end: / OOMError$/,
        error: { exception_message: 'no room\n' },
      },
    ],
  ],
)

provesRuns(
  'scenario/run-choice',
  scripted({
    runs: [
      { run: 1, outcome: 'success' },
      { workflow: 'SaveImage', outcome: 'error' },
      { outcome: 'interrupted', exception_type: 'ValueError' },
    ],
  }),
  [solid(1), { end: success }],
  [slow(1, 1), { end: /^execution_interrupted / }],
  [solid(2), { end: /^execution_error / }],
)

proves(
  'scenario/run-choice',
  async (subject) => {
    await expectRuns(subject, [solid(), { end: interrupted }])
    await expectRuns(subject.as('other-key'), [solid(), { end: success }])
  },
  scripted(
    { runs: [{ user: 'user-of-test-key', outcome: 'interrupted' }] },
    { deployment: 'hosted', ...twoAccounts },
  ),
)

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
