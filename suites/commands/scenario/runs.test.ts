// Run rules about time and outcome.

import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { oneAtATimeOn } from '../../judge/hosted/jobs.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { expectRuns, provesRuns, runAlone, scripted, stepsOf } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'
import { both } from '../../../spec/language.ts'

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
    { runs: [{ user: 'one', outcome: 'interrupted' }] },
    { deployment: 'hosted', ...twoAccounts },
  ),
)
