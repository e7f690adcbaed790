// Run rules about time and outcome.

import { account, errorOf } from '../../judge/failures.ts'
import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { oneAtATimeOn } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { endOf, lastedMs, runAlone, scripted, stepsOf } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'
import { both } from '../../../spec/language.ts'

for (const deployment of both) {
  proves(
    'scenario/run-wait',
    async ({ emulator, submit, queue, history }) => {
      const waiting = async (): Promise<number> => (await queue()).pending.length
      await submit(solid(1))
      await submit(solid(2))
      await emulator!.advance(4999)
      expect([await waiting(), await history()]).toEqual([2, []])
      await emulator!.advance(1)
      expect(await waiting()).toBe(1)
      await emulator!.until('idle')
      expect(await history()).toHaveLength(2)
    },
    scripted({ runs: [{ run: 1, waitMs: 5000 }] }, oneAtATimeOn(deployment)),
  )

  proves(
    'scenario/run-wait',
    async ({ emulator, submit, queue, post }) => {
      const { prompt_id } = (await submit(solid(1))).json()
      await submit(solid(2))
      await post('/queue', { delete: [prompt_id] })
      await emulator!.advance(1000)
      expect(await queue()).toMatchObject({ running: [], pending: [] })
    },
    scripted({ runs: [{ run: 1, waitMs: 5000 }] }, oneAtATimeOn(deployment)),
  )
}

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

proves(
  'scenario/run-duration',
  async (subject) => {
    const session = await subject.connect('me')
    const run = await subject.run(session, textToImage(1, 4))
    expect(lastedMs(run)).toBe(60_000)
    expect(stepsOf(run.messages, '3')).toEqual([1, 2, 3, 4])
    // Everything is cached: the run takes as long.
    expect(lastedMs(await subject.run(session, textToImage(1, 4)))).toBe(60_000)
  },
  scripted({ runs: [{ durationMs: 60_000 }] }),
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

proves(
  'scenario/run-outcome',
  async (subject) => {
    const failed = await runAlone(subject, solid(1))
    const isHosted = subject.deployment === 'hosted'
    expect(endOf(failed)).toBe(`execution_error 2 ${isHosted ? 'ValidationError' : 'RuntimeError'}`)
    expect(failed.entry.outputs['2'].images).toHaveLength(1)
    const stopped = await runAlone(subject, solid(2))
    expect(endOf(stopped)).toBe('execution_interrupted 2')
    expect(endOf(await runAlone(subject, solid(3)))).toBe('execution_success')
    const named = await runAlone(subject, solid(4))
    expect(errorOf(named)).toMatchObject({ exception_message: 'no room\n' })
    expect(endOf(named)).toContain('OOMError')
  },
  scripted({
    runs: [
      { run: 1, outcome: 'error' },
      { run: 2, outcome: 'interrupted' },
      { run: 3, outcome: 'success' },
      { run: 4, outcome: 'error', exception_type: 'OOMError', exception_message: 'no room' },
    ],
  }),
)

proves(
  'scenario/run-choice',
  async (subject) => {
    const ends: string[] = []
    for (const graph of [solid(1), slow(1, 1), solid(2)]) {
      ends.push(endOf(await runAlone(subject, graph)).split(' ')[0] ?? '')
    }
    expect(ends).toEqual(['execution_success', 'execution_interrupted', 'execution_error'])
  },
  scripted({
    runs: [
      { run: 1, outcome: 'success' },
      { workflow: 'SaveImage', outcome: 'error' },
      { outcome: 'interrupted', exception_type: 'ValueError' },
    ],
  }),
)

proves(
  'scenario/run-choice',
  async (subject) => {
    expect(endOf(await runAlone(subject, solid()))).toBe('execution_interrupted 2')
    expect(endOf(await runAlone(subject.as('other-key'), solid()))).toBe('execution_success')
  },
  scripted(
    { runs: [{ user: 'me', outcome: 'interrupted' }] },
    {
      deployment: 'hosted',
      accounts: [
        { ...account, user: 'me', keys: ['test-key'] },
        { ...account, user: 'other', keys: ['other-key'] },
      ],
    },
  ),
)
