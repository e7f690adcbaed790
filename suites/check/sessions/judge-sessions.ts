// Judges a server by sessions: they are played once, and each invariant looks at all of them. What breaks an invariant is
// shortened to the smallest session that still does.

import type { SessionOptions } from '../../../spec/check.ts'
import type { Subject } from '../../judge/subject.ts'
import { Counterexample, recordOf } from './counterexample.ts'
import { sessionOf } from './generate.ts'
import type { Judge } from './invariants/judge.ts'
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

/** What is wrong in a session. Data in a form that cannot be read is wrong too. */
export function faultsOf(judge: Judge, log: SessionLog): readonly string[] {
  try {
    return judge(log)
  } catch (error) {
    return [`What the server sent cannot be read: ${String(error)}`]
  }
}

/** The body of a case: no session may break the invariant. */
export const inSessions =
  (judge: Judge) =>
  async (subject: Subject): Promise<void> => {
    subject.permit('slow')
    const logs = await subject.once('sessions', () => playAll(subject))
    const index = logs.findIndex((log) => faultsOf(judge, log).length > 0)
    const log = logs[index]
    if (log === undefined) return
    const attempt = async (steps: Session): Promise<SessionLog | undefined> => {
      const again = await play(subject, steps, freshSalt())
      return faultsOf(judge, again).length > 0 ? again : undefined
    }
    const smallest = await shrink(log, attempt, isFirstSocket)
    const { seed } = sessionsOf(subject)[index] as KeptSession
    throw new Counterexample(faultsOf(judge, smallest), recordOf(seed, smallest))
  }

async function playAll(subject: Subject): Promise<readonly SessionLog[]> {
  const logs: SessionLog[] = []
  for (const { steps } of sessionsOf(subject)) logs.push(await play(subject, steps, freshSalt()))
  return logs
}
