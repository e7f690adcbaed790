// The list of the cases that a check would run.

import { ruleInfosOf } from '../judgement.ts'
import type { PlannedCase } from '../plan.ts'

/** One line per case: its rules, what it costs and needs; or one JSON array. */
export function listText(planned: readonly PlannedCase[], isJson: boolean): string {
  const listed = planned.map(({ one, area, runs, tags, isBeyondBudget }) => ({
    title: one.title,
    area,
    place: one.place,
    rules: ruleInfosOf(one).map(({ id }) => id),
    runs,
    tags,
    isBeyondBudget,
  }))
  if (isJson) return `${JSON.stringify(listed, null, 2)}\n`
  const lines = listed.map(({ title, runs, tags }) => {
    const costs = runs === 0 ? [] : [`${runs} ${runs === 1 ? 'run' : 'runs'}`]
    const notes = [...costs, ...tags]
    return notes.length === 0 ? title : `${title} (${notes.join(', ')})`
  })
  return `${lines.join('\n')}\n`
}
