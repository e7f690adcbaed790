// Runs cases on a server, one after the other, and says of each what came out.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Recording } from '../../dist/emulator/internal.js'
import type { GatewaySubject } from '../judge/gateway-subject.ts'
import type { Case } from '../judge/proves.ts'
import type { Subject } from '../judge/subject.ts'
import { brokenLaws } from '../laws/judge-traffic.ts'
import { allowancesIn, type PlannedCase, runsHeld } from './plan.ts'
import type { Generation } from '../../spec/generations.ts'
import type { Place } from '../../spec/language.ts'
import type { CaseEvent, Cause } from './events.ts'
import { causeOf } from './failures/cause.ts'
import { failureOf } from './failures/failures.ts'
import { type Judgement, ruleInfosOf } from './judgement.ts'
import { Counterexample } from './sessions/counterexample.ts'
import type { Kept } from './sessions/kept.ts'
import { counted } from './output/text.ts'
import { writing } from './output/replace-file.ts'
import { isWrongUse } from './usage.ts'
import { Skip } from '../judge/skip.ts'
import { type CheckedServer, newRunning, type Running } from './running.ts'

/** The longest time that one case may take, in milliseconds. */
const MAX_CASE_MS = 40_000
/** A server that works on a run sends something at least as often, in milliseconds. */
const QUIET_MS = 2000
/** How long the clean-up of a case may take, in milliseconds. */
const MAX_CLEAN_MS = 20_000

/** What came out of a case: nothing, a reason not to judge it, or an error. */
type Outcome = { readonly skip?: Skip; readonly error?: unknown }

/** How often a case is tried while somebody else uses the server. */
const MAX_TRIES = 3

/** How the laws judge the traffic of cases. */
type LawOptions = {
  readonly generation: Generation
  /** Collects what breaks a law in a case about other rules, as sentences. */
  readonly elsewhere: Map<string, string>
}

export type RunOptions = {
  /** The verdict on a case that an error has ended, given the quirks that the server does not have, */
  readonly judge: (one: Case, error: unknown, absent: ReadonlySet<string>) => Judgement
  /** the cases for quirks: only a quirk whose own cases pass explains a broken rule, */
  readonly quirkCases: readonly Case[]
  /** and the command that runs it again, with the session of this seed if that broke the rule. */
  readonly commandFor: (one: Case, seed?: number) => string
  /** How many runs are submitted at most. */
  readonly maxRuns: number
  /** From then on, in milliseconds of `performance.now`, no further case begins. */
  readonly endMs: number
  /** Aborted when the user stops the check. */
  readonly signal: AbortSignal | undefined
  readonly laws: LawOptions
  /** The text of a recording. */
  readonly writeHar: (recording: Recording) => string
  /** Where counterexamples are kept for the next check; a temporary folder if nowhere. */
  readonly kept: Pick<Kept, 'save' | 'forget'> | null
}

/** Runs cases one after the other, and yields an event for each. It ends early when the user stops it. */
export async function* runCases(
  planned: readonly PlannedCase[],
  server: CheckedServer,
  options: RunOptions,
): AsyncGenerator<CaseEvent> {
  // What others have run before does not disturb.
  await server.isDisturbed()
  const absent = new Set<string>()
  const present = new Set<string>()
  const has = async (quirk: string): Promise<boolean> => {
    if (!present.has(quirk) && !absent.has(quirk))
      ((await isAbsent(quirk, server, options)) ? absent : present).add(quirk)
    return present.has(quirk)
  }
  const judge = async (one: Case, error: unknown): Promise<Judgement> => {
    for (;;) {
      const judgement = options.judge(one, error, absent)
      if (judgement.quirk === undefined || (await has(judgement.quirk))) return judgement
    }
  }
  const runsFor = createBudget(planned, server, options)
  for (const one of planned) {
    if (options.signal?.aborted) return
    const skipped = reasonToSkip(one, runsFor(one), options)
    yield await runOne(one, skipped, server, options, judge)
  }
}

/** Whether a server lacks a quirk: a case for it fails there, and none passes. What cannot be judged there says nothing. */
async function isAbsent(
  quirk: string,
  server: CheckedServer,
  { quirkCases, endMs }: RunOptions,
): Promise<boolean> {
  let hasFailed = false
  for (const one of quirkCases) {
    if (one.needsOwnWorld || !one.ids.includes(`quirks/${quirk}`)) continue
    const { skip, error } = await tryOften(one, server, endMs)
    if (skip === undefined && error === undefined) return false
    hasFailed ||= error !== undefined
  }
  return hasFailed
}

/**
 * The runs that there are for each case, asked in the order in which they run: what others do not use of theirs, since they were
 * skipped or cost less than was known, later ones get.
 */
function createBudget(
  planned: readonly PlannedCase[],
  server: CheckedServer,
  { maxRuns }: RunOptions,
): (one: PlannedCase) => number {
  const heldFor = (one: PlannedCase): number => (one.isBeyondBudget ? 0 : runsHeld(one))
  let held = planned.reduce((sum, one) => sum + heldFor(one), 0)
  return (one) => {
    held -= heldFor(one)
    return Math.max(0, Math.floor(maxRuns - server.runs() - held))
  }
}

const timeIsUsedUp = (): Skip => new Skip('time', 'The time is used up: see --max-seconds.')

/** Why a case is not even tried. */
function reasonToSkip(
  { runs, files, skip, isBeyondBudget }: PlannedCase,
  unused: number,
  { endMs, maxRuns }: RunOptions,
): Skip | undefined {
  if (skip !== undefined) return skip
  if (performance.now() > endMs) return timeIsUsedUp()
  // What would leave files needs runs that were planned: its files were not announced.
  const left = files > 0 ? 0 : unused
  if (!isBeyondBudget || runs <= left) return undefined
  const enough = maxRuns + runs - left
  return new Skip(
    'budget',
    `It needs ${counted(runs, 'run')}, ${left} are left for it: --max-runs ${enough}.`,
  )
}

/** A case that is not tried, with what it is known to need. */
const untried = ({ tags }: PlannedCase): Running => ({
  ...newRunning(),
  needs: new Set(allowancesIn(tags)),
})

async function runOne(
  planned: PlannedCase,
  skipped: Skip | undefined,
  server: CheckedServer,
  options: RunOptions,
  judge: (one: Case, error: unknown) => Promise<Judgement>,
): Promise<CaseEvent> {
  const { one, area } = planned
  const startMs = performance.now()
  const { skip, error, running } =
    skipped === undefined
      ? await tryOften(one, server, options.endMs, options.laws)
      : { skip: skipped, error: undefined, running: untried(planned) }
  const durationMs = Math.round(performance.now() - startMs)
  const described = {
    event: 'case',
    title: one.title,
    area,
    place: one.place,
    rules: ruleInfosOf(one),
    durationMs,
    runs: running.runs.size,
    ...(running.made.size > 0 && { files: running.made.size }),
    ...(running.needs.size > 0 && { needs: [...running.needs] }),
  } as const
  if (skip) return { ...described, verdict: 'skip', reason: skip.reason, detail: skip.detail }
  const { kept } = options
  if (error === undefined) {
    kept?.forget(one.title)
    return { ...described, verdict: 'pass' }
  }
  const shown = error instanceof Counterexample ? error.exchanges : undefined
  const cause = causeOnce(one.place, error, running)
  const failure = {
    ...failureOf(one, error, running, options.commandFor(one, shown?.seed), cause),
    ...(shown && { exchanges: saveIn(kept, one.title, options.writeHar(shown.recording)) }),
  }
  return { ...described, ...(await judge(one, error)), failure, ...(cause && { cause }) }
}

/** The causes of errors. What cases share fails for all of them with one error, and only the first sees the traffic. */
const causes = new WeakMap<object, Cause>()

function causeOnce(place: Place, error: unknown, running: Running): Cause | undefined {
  const key = error instanceof Error ? error : {}
  const cause = causes.get(key) ?? causeOf(place, error, running)
  if (cause !== undefined) causes.set(key, cause)
  return cause
}

/** Tries a case, again if it fails while somebody else uses the server: what it saw may be theirs. */
async function tryOften(
  one: Case,
  server: CheckedServer,
  endMs: number,
  laws?: LawOptions,
): Promise<Outcome & { readonly running: Running }> {
  for (let left = MAX_TRIES; ; left--) {
    const running = newRunning(one.isAboutToken)
    const outcome = await outcomeOf(one, server, running, endMs, laws)
    if (!('error' in outcome) || !(await server.isDisturbed())) return { ...outcome, running }
    if (left === 1) {
      const skip = new Skip('busy', 'Runs of others came in between each time.')
      return { skip, running }
    }
  }
}

async function outcomeOf(
  one: Case,
  server: CheckedServer,
  running: Running,
  endMs: number,
  laws: LawOptions | undefined,
): Promise<Outcome> {
  const tooLate = new AbortController()
  try {
    await Promise.race([
      server.use(running, laws === undefined ? one.body : lawful(one, laws)),
      timeIsUp(running, endMs, tooLate.signal),
    ])
    return {}
  } catch (error) {
    // A file cannot be written: no case says anything then.
    if (isWrongUse(error)) throw error
    return error instanceof Skip ? { skip: error } : { error }
  } finally {
    tooLate.abort()
  }
}

/** The body of a case, which a law about one of its rules can break too. */
const lawful =
  (one: Case, { generation, elsewhere }: LawOptions): Case['body'] =>
  async (subject: Subject | GatewaySubject) => {
    await one.body(subject)
    for (const error of brokenLaws(subject, generation)) {
      if (error.ids.some((id) => one.ids.includes(id))) throw error
      const key = error.ids.join(' + ')
      if (!elsewhere.has(key))
        elsewhere.set(key, `${error.message} The case: ${one.ids.join(' + ')}.`)
    }
  }

/**
 * Ends a case that has taken too long, which cleans up, and throws if it does not end then. What it waited for the rate
 * limit of the server does not count. A run that is still at work says how fast the server is, and breaks no rule.
 */
async function timeIsUp(running: Running, endMs: number, signal: AbortSignal): Promise<never> {
  const startMs = performance.now()
  const leftMs = (): number =>
    Math.min(startMs + MAX_CASE_MS + (running.waitedMs ?? 0), endMs) - performance.now()
  while (leftMs() > 0) await delay(leftMs(), undefined, { signal })
  const seen = running.wire.length
  await delay(QUIET_MS, undefined, { signal })
  const seconds = MAX_CASE_MS / 1000
  const reason =
    performance.now() > endMs
      ? timeIsUsedUp()
      : running.wire.length > seen
        ? new Skip('slow', `Its run was still at work after ${seconds} s.`)
        : new Error(`No answer within ${seconds} s.`)
  running.refuse(reason)
  await delay(MAX_CLEAN_MS, undefined, { signal })
  throw reason
}

/** Saves a counterexample as a recording, and returns its path. */
function saveIn(kept: RunOptions['kept'], title: string, text: string): string {
  if (kept !== null) return kept.save(title, text)
  return writing('a recording in', tmpdir(), () => {
    const file = join(mkdtempSync(join(tmpdir(), 'flowdouble-check-')), 'counterexample.har')
    writeFileSync(file, text, { mode: 0o600 })
    return file
  })
}
