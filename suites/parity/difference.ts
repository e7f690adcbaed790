// A declared difference of the deployments, as a type.

import type { quirks, RuleId } from '../../spec/index.ts'
import type { PlainRequest } from '../generate/actions.ts'
import type { ReceivedByClient, ClientView, PlainReply } from '../model/client-view.ts'

/** A row. Each change gives undefined where it has nothing to say. */
export type Difference = {
  readonly id: string
  /** The rules and quirks from which it follows. */
  readonly from: readonly (RuleId | keyof typeof quirks)[]
  /** What local has to be asked, so that it does what hosted does when it is asked this. */
  readonly request?: (request: PlainRequest, view: ClientView) => PlainRequest | undefined
  /** What hosted replies where local replies this. `asked` is what hosted is asked. */
  readonly reply?: (
    reply: PlainReply,
    request: PlainRequest,
    view: ClientView,
  ) => PlainReply | undefined
  /** What the clients of hosted hear where those of local hear this; `asked` as it was sent to local. */
  readonly received?: (
    received: ReceivedByClient,
    view: ClientView,
    request: PlainRequest | undefined,
  ) => ReceivedByClient | undefined
}
