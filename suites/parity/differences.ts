// The declared differences between the deployments: functions that convert the output of a local server into that of
// hosted.

import { fileDifferences } from './files.ts'
import { runDifferences } from './runs.ts'
import { messageDifferences } from './messages.ts'
import { userDifferences } from './user-data.ts'
import type { ReceivedByClient, ClientView, PlainReply } from '../model/client-view.ts'
import type { PlainRequest } from '../generate/actions.ts'
import type { Difference } from './difference.ts'

/** All of them, in the order in which they are applied. */
export const differences: readonly Difference[] = [
  ...runDifferences,
  ...fileDifferences,
  ...userDifferences,
  ...messageDifferences,
]

/** Applies the rows one after the other, and counts how often each made a difference. */
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
    request: (request: PlainRequest, view: ClientView): PlainRequest =>
      fold(request, (row, value) => row.request?.(value, view)),
    reply: (reply: PlainReply, request: PlainRequest, view: ClientView): PlainReply =>
      fold(reply, (row, value) => row.reply?.(value, request, view)),
    received: (
      received: ReceivedByClient,
      view: ClientView,
      request?: PlainRequest,
    ): ReceivedByClient => fold(received, (row, value) => row.received?.(value, view, request)),
  }
}
