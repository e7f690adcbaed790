// The baseline while a check runs: it marks what is known, and in the end names what is stale, or is written anew.

import { resolve } from 'node:path'
import type { CheckOptions } from '../../../spec/check.ts'
import type { Baseline } from '../../../spec/baseline.ts'
import type { CaseEvent } from '../events.ts'
import type { CheckIo } from '../reports/reports.ts'
import { counted } from '../output/text.ts'
import { judgeByBaseline, type KnownCase, nameOf, updatedBaseline } from './baseline.ts'
import { emptyBaseline, loadBaseline, saveBaseline } from './file.ts'

export type Known = {
  /** The event, with what the baseline says of it. */
  readonly mark: (event: CaseEvent) => CaseEvent
  /** The events so far. */
  readonly done: readonly CaseEvent[]
  /** Ends it: what is stale, unless the file is written anew, and what else there is to say, as sentences. */
  readonly close: () => { readonly stale: readonly string[]; readonly notices: readonly string[] }
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
      if (!isBaselineUpdate || file === undefined)
        return { stale: known.stale().map(({ says }) => says), notices: notices() }
      const after = updatedBaseline(before, done, all)
      saveBaseline(file, after)
      return { stale: [], notices: [updateText(baseline ?? file, before, after), ...notices()] }
    },
  }
}

/** How many entries a sentence names. */
const MAX_NAMES = 5

/** What an update has written. */
function updateText(file: string, before: Baseline, after: Baseline): string {
  const added = after.failures.filter((one) => !before.failures.includes(one)).length
  const removed = before.failures.filter((one) => !after.failures.includes(one)).length
  const kept = after.failures.length - added
  return `${file} lists ${counted(after.failures.length, 'known failure')} now: ${added} added, ${removed} removed, ${kept} kept.`
}
