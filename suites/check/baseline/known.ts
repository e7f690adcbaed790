// The baseline while a check runs: it compares what failed with what is known to fail. A failure that it lists does not fail the
// check; an entry that no longer fails is stale, so that the list stays true, or the file is written anew.

import { resolve } from 'node:path'
import type { CheckOptions } from '../../../spec/check.ts'
import type { Baseline, KnownFailure } from '../../../spec/baseline.ts'
import type { CaseEvent, EventOf, SkipReason } from '../events.ts'
import type { CheckIo } from '../reports/reports.ts'
import { counted } from '../output/text.ts'
import { emptyBaseline, linesOfFailures, loadBaseline, saveBaseline } from './file.ts'

/** What the baseline needs to know of a case before it runs. */
export type KnownCase = {
  readonly title: string
  readonly place: KnownFailure['place']
  /** The ids of its rules. */
  readonly ids: readonly string[]
}

export type BaselineJudge = {
  /** The event with its `baseline`: `known` for a listed failure, `stale` where an entry turns out to be stale. */
  readonly mark: (event: CaseEvent) => CaseEvent
  /** The entries that no longer fail, or whose case does not exist. */
  readonly stale: () => readonly StaleEntry[]
  /** The entries about which this check says nothing, since none of their cases was judged. */
  readonly unjudged: () => readonly KnownFailure[]
}

/** An entry that has to leave the baseline, and why, as a sentence. */
export type StaleEntry = { readonly failure: KnownFailure; readonly says: string }

/** What became of the cases of one entry. */
type Entry = {
  readonly failure: KnownFailure
  /** How many of its cases are still to come. */
  open: number
  ran: number
  hasFailed: boolean
  /** Whether a case was skipped that could have failed. */
  isUndecided: boolean
}

/** These skips depend on flags and on time: with others, the case could still fail. The rest never runs on this target. */
const undecided: ReadonlySet<SkipReason | undefined> = new Set<SkipReason>([
  'budget',
  'time',
  'busy',
  'no-key',
  'no-run',
  'not-recorded',
  'not-made',
  'not-allowed',
])

const isOf = ({ title, rule, place }: KnownFailure, one: KnownCase): boolean =>
  one.place === place && (title === undefined || one.title === title) && isOfRule(rule, one)

const isOfRule = (rule: string | undefined, { ids }: KnownCase): boolean =>
  rule === undefined || ids.includes(rule)

const knownCase = ({ title, place, rules }: CaseEvent): KnownCase => ({
  title,
  place,
  ids: rules.map(({ id }) => id),
})

/**
 * @param planned the cases that run in this check, skipped ones too.
 * @param all every case that there is: an entry without one is stale, whatever is selected.
 */
export function judgeByBaseline(
  { failures }: Baseline,
  planned: readonly KnownCase[],
  all: readonly KnownCase[],
): BaselineJudge {
  const entries = failures.map((failure): Entry => {
    const open = planned.filter((one) => isOf(failure, one)).length
    return { failure, open, ran: 0, hasFailed: false, isUndecided: false }
  })
  return {
    mark: (event) => {
      const own = entries.filter(({ failure }) => isOf(failure, knownCase(event)))
      for (const entry of own) note(entry, event)
      if (own.length === 0 || event.verdict === 'skip' || event.verdict === 'fault') return event
      if (event.verdict === 'fail') return { ...event, baseline: 'known', ...reasonOf(event, own) }
      return own.some(isStale) ? { ...event, baseline: 'stale' } : event
    },
    stale: () =>
      entries.flatMap((entry) => {
        const exists = all.some((one) => isOf(entry.failure, one))
        return exists && !isStale(entry) ? [] : [staleEntry(entry.failure, exists)]
      }),
    unjudged: () =>
      entries
        .filter(({ ran, hasFailed }) => ran === 0 && !hasFailed)
        .map(({ failure }) => failure)
        .filter((failure) => all.some((one) => isOf(failure, one))),
  }
}

/** An entry in a sentence. */
const nameOf = ({ title, rule, place }: KnownFailure): string => `${title ?? rule} on ${place}`

function staleEntry(failure: KnownFailure, exists: boolean): StaleEntry {
  const why = exists ? 'it does not fail' : 'it does not exist'
  return { failure, says: `The baseline lists ${nameOf(failure)}, but ${why}.` }
}

/** The reason of the entry becomes the detail of the case. */
const reasonOf = (
  { detail }: CaseEvent,
  [entry]: readonly Entry[],
): { readonly detail: string } => ({
  detail: detail ?? entry?.failure.reason ?? '',
})

function note(entry: Entry, { verdict, reason }: CaseEvent): void {
  entry.open -= 1
  if (verdict === 'pass' || verdict === 'note') entry.ran += 1
  if (verdict === 'fail') entry.hasFailed = true
  if (verdict === 'fault' || undecided.has(reason)) entry.isUndecided = true
}

/** Whether all cases of an entry are over, and none failed that could. */
const isStale = ({ open, ran, hasFailed, isUndecided }: Entry): boolean =>
  open === 0 && ran > 0 && !hasFailed && !isUndecided

/** The reason of an entry that nobody has explained yet. */
const UNEXPLAINED = 'Written by --update-baseline: say here why this failure is accepted.'

/**
 * The baseline after a check: each failure, with the reason that it had. Entries of cases that were not judged stay; those
 * that are stale go.
 */
export function updatedBaseline(
  baseline: Baseline,
  cases: readonly CaseEvent[],
  all: readonly KnownCase[],
): Baseline {
  const judge = judgeByBaseline(baseline, cases.map(knownCase), all)
  for (const one of cases) judge.mark(one)
  const stale = new Set(judge.stale().map(({ failure }) => failure))
  const failures = baseline.failures.filter((one) => !stale.has(one))
  for (const one of cases) {
    const isListed = failures.some((failure) => isOf(failure, knownCase(one)))
    if (one.verdict === 'fail' && !isListed)
      failures.push({ title: one.title, place: one.place, reason: UNEXPLAINED })
  }
  return { ...baseline, failures }
}

export type Known = {
  /** The event, with what the baseline says of it. */
  readonly mark: (event: CaseEvent) => CaseEvent
  /** The events so far. */
  readonly done: readonly CaseEvent[]
  /** Ends it: how many entries are stale, unless the file is written anew, and what there is to say about the file. */
  readonly close: () => { readonly stale: number; readonly warnings: readonly EventOf<'warning'>[] }
}

type Options = Pick<CheckOptions, 'baseline' | 'isBaselineUpdate'>
type Files = Pick<CheckIo, 'cwd' | 'exists'>

/** The baseline that the options name, or an empty one. Throws an error with the code USAGE if it cannot be used. */
export function baselineBefore(
  { baseline, isBaselineUpdate }: Options,
  { cwd, exists }: Files,
): Baseline {
  const file = baseline === undefined ? undefined : resolve(cwd, baseline)
  const isNew = file === undefined || (isBaselineUpdate && !exists(file))
  return isNew ? emptyBaseline : loadBaseline(file)
}

/**
 * Opens the baseline that the options name. Throws an error with the code USAGE if it cannot be used.
 * @param planned the cases that run in this check.
 * @param all every case that there is.
 */
export function openKnown(
  options: Options,
  files: Files,
  planned: readonly KnownCase[],
  all: readonly KnownCase[],
  before = baselineBefore(options, files),
): Known {
  const { baseline, isBaselineUpdate } = options
  const file = baseline === undefined ? undefined : resolve(files.cwd, baseline)
  const known = judgeByBaseline(before, planned, all)
  const done: CaseEvent[] = []
  const notices = (): readonly string[] => {
    const left = known.unjudged()
    if (left.length === 0) return []
    const names = left.slice(0, MAX_NAMES).map(nameOf)
    const more = left.length > names.length ? [`and ${left.length - names.length} more`] : []
    return [`Not judged of the baseline: ${[...names, ...more].join('; ')}.`]
  }
  return {
    done,
    mark: (event) => {
      const marked = known.mark(event)
      // What fails is in the file when the check has ended.
      const isWritten = isBaselineUpdate && marked.verdict === 'fail'
      done.push(isWritten ? { ...marked, baseline: 'known' } : marked)
      return done.at(-1) ?? marked
    },
    close: () => {
      if (!isBaselineUpdate || file === undefined) {
        const stale = known.stale()
        const lines = stale.length === 0 || file === undefined ? [] : linesOfFailures(file)
        const warnings = stale.map(({ failure, says }) => ({
          ...warning(says),
          ...placeOf(baseline, lines[before.failures.indexOf(failure)]),
        }))
        return { stale: stale.length, warnings: [...warnings, ...notices().map(warning)] }
      }
      const after = updatedBaseline(before, done, all)
      saveBaseline(file, after)
      const said = [updateText(baseline ?? file, before, after), ...notices()]
      return { stale: 0, warnings: said.map(warning) }
    },
  }
}

const warning = (text: string): EventOf<'warning'> => ({ event: 'warning', text })

const placeOf = (
  file: string | undefined,
  line: number | undefined,
): Pick<EventOf<'warning'>, 'file' | 'line'> =>
  file === undefined || line === undefined ? {} : { file, line }

/** How many entries a sentence names. */
const MAX_NAMES = 5

/** What an update has written. */
function updateText(file: string, before: Baseline, after: Baseline): string {
  const added = after.failures.filter((one) => !before.failures.includes(one)).length
  const removed = before.failures.filter((one) => !after.failures.includes(one)).length
  const kept = after.failures.length - added
  return `${file} lists ${counted(after.failures.length, 'known failure')} now: ${added} added, ${removed} removed, ${kept} kept.`
}
