// The declared differences of the deployments: what turns that which a local server says into what hosted says.

import { fileDifferences } from './files.ts'
import { runDifferences } from './runs.ts'
import { tellingDifferences } from './messages.ts'
import { userDifferences } from './user-data.ts'
import type { Heard, Known, Told } from '../model/client-view.ts'
import type { Asked } from '../generate/actions.ts'
import type { Difference } from './difference.ts'

/** All of them, in the order in which they are applied. */
export const differences: readonly Difference[] = [
  ...runDifferences,
  ...fileDifferences,
  ...userDifferences,
  ...tellingDifferences,
]

/** Applies the rows one after the other, and counts in how many places each made a difference. */
export function createDifferences(rows: readonly Difference[] = differences) {
  const uses = new Map(rows.map(({ id }) => [id, 0]))
  const fold = <T>(first: T, change: (row: Difference, value: T) => T | undefined): T => {
    let value = first
    for (const row of rows) {
      const next = change(row, value)
      if (next === undefined || JSON.stringify(next) === JSON.stringify(value)) continue
      uses.set(row.id, (uses.get(row.id) ?? 0) + 1)
      value = next
    }
    return value
  }
  return {
    uses,
    request: (asked: Asked, known: Known): Asked =>
      fold(asked, (row, value) => row.request?.(value, known)),
    reply: (told: Told, asked: Asked, known: Known): Told =>
      fold(told, (row, value) => row.reply?.(value, asked, known)),
    heard: (heard: Heard, known: Known, asked?: Asked): Heard =>
      fold(heard, (row, value) => row.heard?.(value, known, asked)),
  }
}
