// Sessions as data: the same seed makes the same session, failures become short, and two servers are compared fairly.

import { test } from 'vitest'
import { differencesOf } from '../../check/diff/compare.ts'
import { transcriptOf } from '../../check/diff/transcript.ts'
import { sessionOf } from '../../check/sessions/generate.ts'
import type { SessionLog } from '../../check/sessions/log.ts'
import { inSessions, seedsOf } from '../../check/sessions/judge-sessions.ts'
import { play } from '../../check/sessions/play.ts'
import { shrink } from '../../check/sessions/shrink.ts'
import type { Session } from '../../check/sessions/steps.ts'
import { expect } from '../../judge/expect.ts'
import { startSubject } from '../../judge/subject.ts'
import { law } from '../../laws/law.ts'
import { dropped } from '../../mutants/tamper.ts'

type Options = Parameters<typeof startSubject>[0]

/** What a session shows in a world with these options. */
async function played(options: Options, steps: Session): Promise<SessionLog> {
  const subject = await startSubject(options)
  try {
    return await play(subject, steps, 'salt')
  } finally {
    await subject.close()
  }
}

test('the same seed makes the same session, another seed another', () => {
  expect(sessionOf(7)).toEqual(sessionOf(7))
  expect(sessionOf(7)).not.toEqual(sessionOf(8))
})

test('sessions have the seeds that were asked for, and a world of the suites plays the first', async () => {
  expect(seedsOf({ sessions: 3, seed: 41 })).toEqual([41, 42, 43])
  const subject = await startSubject()
  await subject.close()
  expect(subject.seeds).toEqual([1])
})

/** A law that everything breaks. */
const always = law(
  'queue/listing',
  ({ exchanges }) => exchanges,
  (exchange) => [{ at: { exchange }, says: 'It is wrong.' }],
)

test('what breaks in a session names its seed', async () => {
  const subject = await startSubject()
  const broken = inSessions(always)({ ...subject, seeds: [41] })
  await expect(broken).rejects.toMatchObject({ exchanges: { seed: 41 } })
  await subject.close()
})

test('a session becomes as short as the fault allows', async () => {
  const has = (steps: Session, run: number): boolean =>
    steps.some((step) => step.do === 'submit' && step.run === run)
  const steps = sessionOf(1)
  const smallest = await shrink({ steps }, async (shorter) =>
    has(shorter, 3) ? { steps: shorter } : undefined,
  )
  expect(has(smallest.steps, 3)).toBe(true)
  expect(smallest.steps.length).toBeLessThan(steps.length / 2)
})

test('two equal servers do not differ, whatever they did before', async () => {
  const steps = sessionOf(3)
  const subject = await startSubject()
  await play(subject, sessionOf(4), 'other')
  const second = transcriptOf(await play(subject, steps, 'salt'))
  await subject.close()
  expect(differencesOf(transcriptOf(await played({}, steps)), second)).toEqual([])
})

test('a server that lacks a message, or has a quirk, differs', async () => {
  const steps = sessionOf(3)
  const usual = transcriptOf(await played({}, steps))
  const silent = await played({ tamper: dropped('execution_cached')('local') }, steps)
  expect(differencesOf(usual, transcriptOf(silent))).not.toEqual([])
  const odd = await played({ quirk: ['workflows.bare-graph-errors'] }, steps)
  expect(differencesOf(usual, transcriptOf(odd)).map(({ at }) => at)).toEqual([
    expect.stringContaining('(unknown), reply to the submit, 1, node_errors'),
  ])
})
