// What a gateway has received, read from its journal.

import { splitTarget } from '../../http/requests.ts'
import { restoreInput } from '../../journal/bodies.ts'
import { receivedBody } from '../../journal/received-body.ts'
import {
  entriesSinceStart,
  type JournalView,
  queryOf,
  type Received,
  type ReceivedRequest,
} from '../../journal/received.ts'
import type { GatewayEffect, GatewayInput } from '../../gateway/inputs.ts'
import type { GatewayWorld } from '../../gateway/state.ts'

type RequestInput = Extract<GatewayInput, { kind: 'request' }>

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
    const { method, target, headers, body } = restoreInput(view.redactInput(input)) as RequestInput
    const [path, query] = splitTarget(target)
    return [
      {
        entry,
        nowMs: input.atMs,
        timeMs: options.epochMs + input.atMs,
        method,
        path,
        query: queryOf(query),
        headers,
        body: receivedBody({ headers, body }),
        status: statuses.get(input.request) ?? null,
        user: null,
        run: runs.get(input.request) ?? null,
      },
    ]
  })
  return { items, complete }
}
