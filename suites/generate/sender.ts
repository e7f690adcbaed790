// The sender of the cases that run on any gateway: what it knows of the gateway.

import type { SchemeName } from '../../spec/gateway/signatures.ts'
import { NOW, schemeNames } from './senders.ts'

/** A route and its secret. */
export type SenderRoute = { readonly route: string; readonly secret: string }

/** What a case may know of a gateway. On a gateway elsewhere a member that the operator has not named ends the case. */
export type Sender = SenderRoute & {
  /** Another route. */
  readonly second: SenderRoute
  /** A route that filters events, and an event that it takes. */
  readonly filtered: SenderRoute & { readonly event: string }
  /** A route that delivers directly, and one whose deliveries fail. */
  readonly direct: SenderRoute
  readonly failing: SenderRoute
  /** The event of posts that are not about events: the route takes it. */
  readonly event: string
  /** The scheme of posts that are not about signatures, */
  readonly scheme: SchemeName
  /** and all schemes that the gateway accepts. */
  readonly schemes: readonly SchemeName[]
  /** How many posts the route accepts in its window. */
  readonly rateLimit: number
  readonly maxBodyBytes: number
  /** An id that the gateway may have accepted before: a post with it starts no further run. */
  readonly knownId: string
  readonly newId: () => string
  /** The clock of the gateway, in seconds since 1970. */
  readonly now: () => Promise<number>
  /** Waits until the route can accept so many of our posts within its window. */
  readonly room: (posts: number) => Promise<void>
  /** Lets time pass on the clock of the gateway. Only a slow check may do that. */
  readonly pause: (ms: number) => Promise<void>
  /** Ends a case that this gateway has no part for. */
  readonly missing: (detail: string) => never
}

/** After this time every window is empty, in milliseconds. */
const ROOM_MS = 60_001

/** The sender of a world with the routes of `anyGateway`. */
export function ownSender(secret: string, advance: (ms: number) => Promise<void>): Sender {
  let ids = 0
  return {
    route: 'hook',
    secret,
    second: { route: 'second', secret },
    filtered: { route: 'filtered', secret, event: 'push' },
    direct: { route: 'direct', secret },
    failing: { route: 'failing', secret },
    event: 'flowdouble-check',
    scheme: 'github',
    schemes: schemeNames,
    rateLimit: 30,
    maxBodyBytes: 2 ** 20,
    knownId: 'flowdouble-check-known',
    newId: () => `flowdouble-check-${++ids}`,
    now: () => Promise.resolve(NOW),
    room: () => advance(ROOM_MS),
    pause: advance,
    missing: (detail) => {
      throw new Error(detail)
    },
  }
}
