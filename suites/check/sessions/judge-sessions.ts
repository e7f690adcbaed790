// Judges a server by sessions: they are played once, and each law looks at all of them. What breaks a law is
// shortened to the smallest session that still does.

import type { SessionOptions } from '../../../spec/check.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { traceOf } from '../../laws/build.ts'
import { judged, type Law } from '../../laws/law.ts'
import type { Trace } from '../../laws/trace.ts'
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
type Played = { readonly seed: number; readonly log: SessionLog; readonly trace: Trace }

/** What breaks a law in a session, as sentences. */
const faultsOf = (law: Law, { trace }: Played): readonly string[] =>
  judged(law, trace).findings.map(({ at, says }) => `${placeText(trace, at)}: ${says}`)

/** The body of a case: no session may break the law, and at least one shows what it is about. */
export const inSessions =
  (law: Law) =>
  async (subject: Subject): Promise<void> => {
    subject.permit('slow')
    const sessions = await subject.once('sessions', () => playAll(subject))
    const first = sessions.find((one) => faultsOf(law, one).length > 0)
    if (first === undefined) {
      if (sessions.some(({ trace }) => law.judge(trace).seen > 0)) return
      throw missing('The sessions do not show it on this server.')
    }
    const attempt = async (steps: Session): Promise<SessionLog | undefined> => {
      const again = seen(first.seed, await play(subject, steps, freshSalt()))
      return faultsOf(law, again).length > 0 ? again.log : undefined
    }
    const smallest = seen(first.seed, await shrink(first.log, attempt, isFirstSocket))
    throw new Counterexample(faultsOf(law, smallest), recordOf(first.seed, smallest.log))
  }

function seen(seed: number, log: SessionLog): Played {
  const trace = traceOf(recordOf(seed, log).recording, `session ${seed}`)
  if (trace === undefined) throw missing('The session has sent nothing.')
  return { seed, log, trace }
}

async function playAll(subject: Subject): Promise<readonly Played[]> {
  const sessions: Played[] = []
  for (const { seed, steps } of sessionsOf(subject))
    sessions.push(seen(seed, await play(subject, steps, freshSalt())))
  return sessions
}
