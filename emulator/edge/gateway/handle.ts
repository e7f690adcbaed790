// A running gateway, as the type of what its caller holds.

import type {
  AgentRun,
  OutboxEntry,
  GatewayEffect,
  ScriptedFailure,
} from '../../gateway/machine.ts'
import type { ClockHandle } from '../handles.ts'
import type { CompleteGatewayOptions, RouteGiven } from './options.ts'

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
