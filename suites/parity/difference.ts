// The type of a declared difference between the deployments.

import type { quirks, RuleId } from '../../spec/index.ts'
import type { PlainRequest } from '../generate/actions.ts'
import type { ReceivedByClient, ClientView, PlainReply } from '../model/client-view.ts'

/** A row. Each change returns undefined where it does not apply. */
export type Difference = {
  readonly id: string
  /** The rules and quirks from which it follows. */
  readonly from: readonly (RuleId | keyof typeof quirks)[]
  /** The request to local that corresponds to this request to hosted. */
  readonly request?: (request: PlainRequest, view: ClientView) => PlainRequest | undefined
  /** The reply of hosted for this reply of local. `request` is the one that hosted receives. */
  readonly reply?: (
    reply: PlainReply,
    request: PlainRequest,
    view: ClientView,
  ) => PlainReply | undefined
  /** What the clients of hosted receive when those of local receive this; `request` as it was sent to local. */
  readonly received?: (
    received: ReceivedByClient,
    view: ClientView,
    request: PlainRequest | undefined,
  ) => ReceivedByClient | undefined
}
