// What a gateway has received, read from its journal.

import type { JournalView, Received, ReceivedRequest } from '../../journal/received.ts'
import { momentAt, requestView } from '../../journal/received-request.ts'
import type { GatewayEffect, GatewayInput } from '../../gateway/state/inputs.ts'
import type { GatewayWorld } from '../../gateway/state/state.ts'

/** The requests, oldest first. Their runs are named by delivery id. */
export function requestsOf(
  { setup: { options } }: GatewayWorld,
  view: JournalView<GatewayInput, GatewayEffect>,
): Received<ReceivedRequest> {
  const { items, complete } = view.requests
  const requests = items.flatMap(({ entry, input, status, run }) => {
    // A gateway has no sockets.
    if (input.kind === 'open') return []
    const moment = momentAt(options.epochMs, entry, input.atMs)
    const request = requestView(view.redactInput(input))
    return Object.assign({}, moment, request, { status, user: null, run })
  })
  return { items: requests, complete }
}
