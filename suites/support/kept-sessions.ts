// Properties of sessions, which are lists of steps: the smallest session that breaks one is kept as a recording, played first
// on the next run, and removed when the property holds again. As `check --allow slow` does beside its ledger.

import { join } from 'node:path'
import * as fc from 'fast-check'
import { readHar, writeHar } from '../../dist/emulator/internal.js'
import { openKeptFiles } from '../check/sessions/kept.ts'
import type { Subject } from '../judge/subject.ts'

/** Where they are kept. Git ignores it. */
export const usualFolder = join(
  import.meta.dirname,
  '../../node_modules/.cache/flowdouble/counterexamples',
)

/** What holds for every session. */
export type SessionProperty<Step extends object> = {
  /** Names the recording of what breaks it. */
  readonly title: string
  /** Sessions whose steps survive being written as JSON. */
  readonly sessions: fc.Arbitrary<Step[]>
  /** Starts a new server. */
  readonly start: () => Promise<Subject>
  /** Plays a session on it. Throws if the property does not hold. */
  readonly play: (session: readonly Step[], subject: Subject) => Promise<void>
}

type Parameters = { readonly seed?: number; readonly numRuns: number }

/** Asserts a property of sessions. Throws an error that names the recording of the smallest one that breaks it. */
export async function assertSessions<Step extends object>(
  { title, sessions, start, play }: SessionProperty<Step>,
  { seed, numRuns }: Parameters,
  folder = usualFolder,
): Promise<void> {
  const kept = openKeptFiles(folder)
  const before = kept.textOf(title)
  const examples = before === undefined ? [] : stepsIn<Step>(before)
  /** What the last session that failed has done: at the end the smallest. */
  let failed: { readonly steps: readonly Step[]; readonly text: string } | undefined
  const property = fc.asyncProperty(sessions, async (steps) => {
    const subject = await start()
    try {
      await play(steps, subject)
    } catch (error) {
      failed = { steps, text: (await subject.emulator?.recording()) ?? '' }
      throw error
    } finally {
      await subject.close()
    }
  })
  const details = await fc.check(property, {
    ...(seed !== undefined && { seed }),
    numRuns,
    examples,
  })
  if (!details.failed) return kept.forget(title)
  const report = fc.defaultReportMessage(details) ?? ''
  if (failed === undefined) throw new Error(report)
  const file = kept.save(title, withSteps(failed.text, failed.steps, details.seed, title))
  throw new Error(
    `${report}\n${String(details.errorInstance)}\nKept in ${file}, and played first from now on.`,
  )
}

/** The session that a recording says was played; none if it says none. */
function stepsIn<Step extends object>(text: string): [Step[]][] {
  try {
    const { info } = readHar(text, 'a counterexample')
    return info?.steps === undefined ? [] : [[info.steps as Step[]]]
  } catch {
    return []
  }
}

/** A recording that says which session it is of. */
function withSteps(text: string, steps: readonly object[], seed: number, title: string): string {
  const { info, exchanges, sockets } = readHar(text, 'a counterexample')
  const place = info?.place ?? 'local'
  const about = { version: 1, origin: `a property of flowdouble: ${title}`, place } as const
  return writeHar({ info: { ...about, seed: String(seed), steps }, exchanges, sockets })
}
