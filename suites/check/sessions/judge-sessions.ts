// Judges a server by sessions: they are played once, and each law looks at all of them. What breaks a law is
// shortened to the smallest session that still does.

import type { SessionOptions } from '../../../spec/check.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { judged, type Law } from '../../laws/law.ts'
import { placeText } from '../trace/spots.ts'
import { Counterexample, recordOf } from './counterexample.ts'
import { sessionOf } from './generate.ts'
import type { KeptSession } from './kept.ts'
import type { SessionLog } from './log.ts'
import { freshSalt, play } from './play.ts'
import { shrink } from './shrink.ts'
import type { Session, Step } from './steps.ts'

/** The seeds of sessions that follow each other. */
export const seedsOf = ({ sessions, seed }: SessionOptions): readonly number[] =>
  Array.from({ length: sessions }, (_, index) => seed + index)

/** The sessions that are played: first those that broke a rule before. */
const sessionsOf = ({ seeds, kept }: Subject): readonly KeptSession[] => [
  ...kept,
  ...seeds.map((seed) => ({ seed, steps: sessionOf(seed) })),
]

/** The first socket of each client stays in every shorter session. */
const isFirstSocket = (step: Step, at: number, steps: Session): boolean =>
  step.do === 'connect' &&
  steps.findIndex((one) => one.do === 'connect' && one.client === step.client) === at

/** A session that was played, as a law sees it. */
type Played = { readonly seed: number; readonly log: SessionLog }

/** How much of a session a law looks at, and what breaks it there, as sentences. */
function verdictOn(law: Law, { seed, log }: Played) {
  const { seen, findings } = judged(law, log.trace)
  const name = `session ${seed}`
  return { seen, faults: findings.map(({ at, says }) => `${placeText({ name }, at)}: ${says}`) }
}

/** The body of a case: no session may break the law, and at least one shows what it is about. */
export const inSessions =
  (law: Law) =>
  async (subject: Subject): Promise<void> => {
    subject.permit('slow')
    const sessions = await subject.once('sessions', () => playAll(subject))
    const verdicts = sessions.map((one) => verdictOn(law, one))
    const first = sessions[verdicts.findIndex(({ faults }) => faults.length > 0)]
    if (first === undefined) {
      if (verdicts.some(({ seen }) => seen > 0)) return
      throw missing('The sessions do not show it on this server.')
    }
    const attempt = async (steps: Session): Promise<SessionLog | undefined> => {
      const again = { seed: first.seed, log: await play(subject, steps, freshSalt()) }
      return verdictOn(law, again).faults.length > 0 ? again.log : undefined
    }
    const smallest = { seed: first.seed, log: await shrink(first.log, attempt, isFirstSocket) }
    const { faults } = verdictOn(law, smallest)
    throw new Counterexample(faults, recordOf(first.seed, smallest.log))
  }

async function playAll(subject: Subject): Promise<readonly Played[]> {
  const sessions: Played[] = []
  for (const { seed, steps } of sessionsOf(subject))
    sessions.push({ seed, log: await play(subject, steps, freshSalt()) })
  return sessions
}
