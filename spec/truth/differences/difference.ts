// A difference between the description and a real server, as data.

import type { hostedRefusals, refusals } from '../../server/errors.ts'
import type { RuleId } from '../../rules.ts'
import type { quirks } from '../quirks.ts'
import type { gatewayRefusals } from '../../gateway/webhooks.ts'

export type Difference = {
  readonly topic: string
  /** What the description says. */
  readonly stated: string
  /** What real servers do. */
  readonly real: string
  /** What this server does. */
  readonly ours: string
  /** The rules that state it. */
  readonly rules: readonly RuleId[]
  /** The quirks that switch on the other behaviour. */
  readonly quirks?: readonly (keyof typeof quirks)[]
  /** The refusals that implement it: of the local server, of the hosted server and of the gateway. */
  readonly refusals?: readonly (keyof typeof refusals)[]
  readonly hostedRefusals?: readonly (keyof typeof hostedRefusals)[]
  readonly gatewayRefusals?: readonly (keyof typeof gatewayRefusals)[]
}
