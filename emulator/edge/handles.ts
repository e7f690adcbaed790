// The handles of a running server and a running gateway.

import type { MessageType, messages } from '../../spec/server/messages.ts'
import type { AgentRun, GatewayEffect, OutboxEntry, ScriptedFailure } from '../gateway/inputs.ts'
import type { Effect } from '../machine.ts'
import type { CompleteGatewayOptions, RouteInput } from '../options/gateway.ts'
import type { ServerOptions } from '../options/server-options.ts'

/** Moves a manual clock. With any other clock, every method throws a usage error. */
export type ClockHandle<E = Effect> = {
  /** Advances the clock by this many milliseconds. Resolves when all effects are sent. */
  readonly advance: (byMs: number) => Promise<void>
  /**
   * Advances the clock until an effect matches, or with `idle` until no timer is left. Waits for agents and senders that are
   * working, and never lets them time out. Resolves when all effects are sent. Throws if no timer is left and no effect
   * has matched.
   */
  readonly until: (what: 'idle' | ((effect: E) => boolean)) => Promise<void>
}

/** The type of a message member, if its schema names one type. */
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
   * Advances the clock until the server sends a message of this type, to any client, whose data contains these members.
   * Returns its data. Resolves when all effects are sent. Throws if no timer is left and no message has matched.
   */
  readonly untilMessage: <T extends MessageType>(
    type: T,
    data?: MessageData<T>,
  ) => Promise<MessageData<T>>
  /** Base address, such as `http://127.0.0.1:8188`. */
  readonly url: string
  readonly port: number
  /** The base of the signed links for clients of `url`; null on a local server. */
  readonly signedUrl: string | null
  /** The CA certificate in PEM form that clients must trust with `tls: 'auto'`; otherwise null. */
  readonly ca: string | null
  readonly options: ServerOptions
  /** The latest journal entries as lines of JSON, after a line with the options of the server. */
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
  /** The names of the active routes: static ones first, then subscriptions. */
  readonly routes: () => readonly string[]
  /** The latest journal entries as lines of JSON, after a line with the options. They contain no secret. */
  readonly journal: () => Promise<readonly string[]>
  /** The latest deliveries, one entry per attempt, oldest first. */
  readonly outbox: () => readonly OutboxEntry[]
  /** The latest agent runs, oldest first, with parsed payloads. */
  readonly runs: () => readonly (Omit<AgentRun, 'payload'> & { readonly payload: unknown })[]
  /** Makes deliveries to the outbox fail from now on. */
  readonly failDeliveries: (failure: ScriptedFailure) => void
  /**
   * Adds or replaces a subscription in memory. Throws a usage error if subscriptions are in a file, if a static route has
   * the name, or if the route is not valid: without a secret, or direct to `log`.
   */
  readonly subscribe: (name: string, route: RouteInput) => void
  /** Removes a subscription in memory; returns whether it existed. Throws if subscriptions are in a file. */
  readonly remove: (name: string) => boolean
  /** Stops listening, closes all connections, and ends running work. */
  readonly close: () => Promise<void>
}
