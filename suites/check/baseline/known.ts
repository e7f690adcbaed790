// The baseline while a check runs: it marks what is known, and in the end names what is stale, or is written anew.

import { resolve } from 'node:path'
import type { CheckOptions } from '../../../spec/check.ts'
import type { CheckEvent } from '../events.ts'
import type { CheckIo } from '../reports/reports.ts'
import { judgeByBaseline, type KnownCase, updatedBaseline } from './baseline.ts'
import { emptyBaseline, loadBaseline, saveBaseline } from './file.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>

export type Known = {
  /** The event, with what the baseline says of it. */
  readonly mark: (event: CaseEvent) => CaseEvent
  /** The events so far. */
  readonly done: readonly CaseEvent[]
  /** Ends it: returns what is stale as sentences, unless the file is written anew. */
  readonly close: () => readonly string[]
}

/**
 * Opens the baseline that the options name. Throws an error with the code USAGE if it cannot be used.
 * @param planned the cases that run in this check.
 * @param all every case that there is.
 */
export function openKnown(
  { baseline, isBaselineUpdate }: Pick<CheckOptions, 'baseline' | 'isBaselineUpdate'>,
  { cwd, exists }: Pick<CheckIo, 'cwd' | 'exists'>,
  planned: readonly KnownCase[],
  all: readonly KnownCase[],
): Known {
  const file = baseline === undefined ? undefined : resolve(cwd, baseline)
  const isNew = file === undefined || (isBaselineUpdate && !exists(file))
  const before = isNew ? emptyBaseline : loadBaseline(file)
  const known = judgeByBaseline(before, planned, all)
  const done: CaseEvent[] = []
  return {
    done,
    mark: (event) => {
      const marked = known.mark(event)
      done.push(marked)
      return marked
    },
    close: () => {
      if (!isBaselineUpdate) return known.stale().map(({ says }) => says)
      if (file !== undefined) saveBaseline(file, updatedBaseline(before, done, all))
      return []
    },
  }
}
