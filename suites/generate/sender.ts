// The sender of the cases that run on any gateway: what it knows of the gateway.

import type { AgentRun, Gateway, OutboxEntry } from 'flowdouble'
import type { SchemeName } from '../../spec/gateway/signatures.ts'
import { NOW, schemeNames } from './senders.ts'

/** A route and its secret. */
export type SenderRoute = { readonly route: string; readonly secret: string }

/** A route as `webhook subscribe` writes it. */
export type RouteSettings = Readonly<Record<string, unknown>>

/** Makes routes on a gateway, and sees what they do. Each route is that of one case alone. */
export type RouteControl = {
  /** Makes a new route: without another secret, with that of the sender. */
  readonly make: (settings: RouteSettings) => Promise<SenderRoute>
  /** Tries to make a route that the gateway may refuse, and returns its name. */
  readonly attempt: (settings: RouteSettings) => Promise<string>
  /** Replaces a route that it has made. */
  readonly change: (route: SenderRoute, settings: RouteSettings) => Promise<void>
  /** The agent runs of a route, once all of them have ended, or take long. */
  readonly runs: (of: SenderRoute) => Promise<readonly ListedRun[]>
  /** The attempted deliveries of a route, once there are so many. */
  readonly deliveries: (of: SenderRoute, count: number) => Promise<readonly OutboxEntry[]>
}

/** An agent run as a gateway lists it. */
export type ListedRun = Omit<AgentRun, 'payload'> & { readonly payload: unknown }

/** What a case may know of a gateway. On a gateway elsewhere a member that the operator has not named ends the case. */
export type Sender = SenderRoute & {
  /** Another route. */
  readonly second: SenderRoute
  /** A route that filters events, and an event that it takes. */
  readonly filtered: SenderRoute & { readonly event: string }
  /** A route that delivers directly, and one whose deliveries fail. */
  readonly direct: SenderRoute
  readonly failing: SenderRoute
  /** Makes routes, on a gateway that has the control API. */
  readonly control: RouteControl
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

/** The secret of a route. */
export const secretIn = ({ secret }: RouteSettings, usual: string): string =>
  typeof secret === 'string' ? secret : usual

type OwnGateway = Pick<Gateway, 'advance' | 'until' | 'subscribe' | 'runs' | 'outbox'>

function ownControl(secret: string, gateway: OwnGateway): RouteControl {
  let routes = 0
  const newName = (): string => `flowdouble-check-route-${++routes}`
  return {
    make: (settings) => {
      const route = newName()
      gateway.subscribe(route, { secret, ...settings })
      return Promise.resolve({ route, secret: secretIn(settings, secret) })
    },
    attempt: (settings) => {
      const route = newName()
      try {
        gateway.subscribe(route, settings)
      } catch {
        // The case looks at what the route does.
      }
      return Promise.resolve(route)
    },
    change: ({ route }, settings) => {
      gateway.subscribe(route, { secret, ...settings })
      return Promise.resolve()
    },
    runs: async ({ route }) => {
      await gateway.until('idle')
      return gateway.runs().filter((run) => run.route === route)
    },
    deliveries: async ({ route }) => {
      await gateway.until('idle')
      return gateway.outbox().filter((entry) => entry.route === route)
    },
  }
}

/** The sender of a world with the routes of `anyGateway`. */
export function ownSender(secret: string, gateway: OwnGateway): Sender {
  let nowMs = NOW * 1000
  const advance = (ms: number): Promise<void> => {
    nowMs += ms
    return gateway.advance(ms)
  }
  let ids = 0
  return {
    route: 'hook',
    secret,
    second: { route: 'second', secret },
    filtered: { route: 'filtered', secret, event: 'push' },
    direct: { route: 'direct', secret },
    failing: { route: 'failing', secret },
    control: ownControl(secret, gateway),
    event: 'flowdouble-check',
    scheme: 'github',
    schemes: schemeNames,
    rateLimit: 30,
    maxBodyBytes: 2 ** 20,
    knownId: 'flowdouble-check-known',
    newId: () => `flowdouble-check-${++ids}`,
    now: () => Promise.resolve(Math.floor(nowMs / 1000)),
    room: () => advance(ROOM_MS),
    pause: advance,
    missing: (detail) => {
      throw new Error(detail)
    },
  }
}
