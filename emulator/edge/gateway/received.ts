// What a gateway has received, read from its journal.

import {
  entriesSinceStart,
  type JournalView,
  type Received,
  type ReceivedRequest,
} from '../../journal/received.ts'
import { momentAt, requestView } from '../../journal/received-request.ts'
import type { GatewayEffect, GatewayInput } from '../../gateway/inputs.ts'
import type { GatewayWorld } from '../../gateway/state.ts'

/** The requests, oldest first. Their runs are named by delivery id. */
export function requestsOf(
  { setup: { options } }: GatewayWorld,
  view: JournalView<GatewayInput, GatewayEffect>,
): Received<ReceivedRequest> {
  const { entries, complete } = entriesSinceStart(view)
  const effects = entries.flatMap(([, entry]) => entry.effects)
  const statuses = new Map(
    effects.flatMap((one) => (one.kind === 'reply' ? [[one.request, one.status] as const] : [])),
  )
  const runs = new Map(
    effects.flatMap((one) =>
      one.kind === 'post' && one.verdict === 'accepted'
        ? [[one.request, one.delivery_id] as const]
        : [],
    ),
  )
  const items = entries.flatMap(([entry, { input }]) => {
    if (input.kind !== 'request') return []
    return [
      {
        ...momentAt(options.epochMs, entry, input.atMs),
        ...requestView(view.redactInput(input)),
        status: statuses.get(input.request) ?? null,
        user: null,
        run: runs.get(input.request) ?? null,
      },
    ]
  })
  return { items, complete }
}
