// The handles of a running server and a running gateway, as a caller has them.

import type { MessageType, messages } from '../../spec/server/messages.ts'
import type { AgentRun, GatewayEffect, OutboxEntry, ScriptedFailure } from '../gateway/machine.ts'
import type { Effect } from '../machine.ts'
import type { CompleteGatewayOptions, RouteGiven } from '../options/gateway.ts'
import type { ServerOptions } from '../options/server-options.ts'

/** Moves a manual clock; with any other one all throw a usage error. */
export type ClockHandle<E = Effect> = {
  /** Moves the clock on by so many milliseconds. Resolves when all effects are on the wire. */
  readonly advance: (byMs: number) => Promise<void>
  /**
   * Moves the clock until an effect matches, or with `idle` until nothing is due, for which it waits for agents and
   * senders that are at work and lets none of them time out. Resolves when all effects are on the wire. Throws when
   * nothing is due any more and no effect has matched.
   */
  readonly until: (what: 'idle' | ((effect: E) => boolean)) => Promise<void>
}

/** The type of a member of a message, as far as its schema says in one word. */
type MemberOf<S> = S extends { readonly type: 'string' }
  ? string
  : S extends { readonly type: 'number' | 'integer' }
    ? number
    : unknown

/** The data of a message, each member optional. */
export type MessageData<T extends MessageType> = {
  readonly [Name in keyof (typeof messages)[T]['data']['properties']]?: MemberOf<
    (typeof messages)[T]['data']['properties'][Name]
  >
}

/** A running server. */
export type Emulator = ClockHandle & {
  /**
   * Moves the clock until the server sends a message of this type, to whomever, whose data has these members, and returns
   * its data. Resolves when all effects are on the wire. Throws when nothing is due any more and none has come.
   */
  readonly untilMessage: <T extends MessageType>(
    type: T,
    data?: MessageData<T>,
  ) => Promise<MessageData<T>>
  /** Base address, such as `http://127.0.0.1:8188`. */
  readonly url: string
  readonly port: number
  /** What the signed links begin with for clients of `url`; null on local, which has none. */
  readonly signedUrl: string | null
  /** The certificate, in PEM form, that clients have to trust with `tls: 'auto'`; else null. */
  readonly ca: string | null
  readonly options: ServerOptions
  /** The latest entries of the journal as lines of JSON, after a line with the options of the server. */
  readonly journal: () => Promise<readonly string[]>
  /** Stops listening and closes all connections. */
  readonly close: () => Promise<void>
}

/** A running gateway. */
export type Gateway = ClockHandle<GatewayEffect> & {
  /** Base address, such as `http://127.0.0.1:8644`. */
  readonly url: string
  readonly port: number
  readonly options: CompleteGatewayOptions
  /** The names of the routes that are served: static ones first, then those of the file or of memory. */
  readonly routes: () => readonly string[]
  /** The latest entries of the journal as lines of JSON, after a line with the options. They hold no secret. */
  readonly journal: () => Promise<readonly string[]>
  /** The latest deliveries, each attempt an entry, oldest first. */
  readonly outbox: () => readonly OutboxEntry[]
  /** The latest agent runs, oldest first, with their payloads as JSON. */
  readonly runs: () => readonly (Omit<AgentRun, 'payload'> & { readonly payload: unknown })[]
  /** Lets deliveries into the outbox fail from now on. */
  readonly failDeliveries: (failure: ScriptedFailure) => void
  /**
   * Adds or replaces a subscription that is kept in memory. Throws a usage error where there is a file, where a static
   * route has the name, and where the route cannot be served: without a secret, or direct to `log`.
   */
  readonly subscribe: (name: string, route: RouteGiven) => void
  /** Removes a subscription that is kept in memory; returns whether there was one. Throws where there is a file. */
  readonly remove: (name: string) => boolean
  /** Stops listening, closes all connections, and ends what is under way. */
  readonly close: () => Promise<void>
}
