// The handles of a running server and a running gateway.

import type { ClientSettings } from '../options/accounts.ts'
import type { Fault } from '../../spec/scenario/faults.ts'
import type { MessageType, messages } from '../../spec/server/messages.ts'
import type { GatewayEffect, ScriptedFailure } from '../gateway/state/inputs.ts'
import type { AgentRun, OutboxEntry } from '../gateway/state/run.ts'
import type {
  Expectation,
  ReceivedRequest,
  RequestFilter,
  RunView,
  SentFrame,
  SocketMessage,
  Verification,
} from '../journal/received.ts'
import type { Effect, Entry, SocketEnd } from '../machine.ts'
import type { CompleteGatewayOptions, GatewayOptionsInput, RouteInput } from '../options/gateway.ts'
import type { ServerOptions, ServerOptionsInput } from '../options/server-options.ts'
import { sharedNames } from '../options/shared-table.ts'

/** The states that a run reaches. */
export type RunState = Extract<Effect, { kind: 'run' }>['state']

/** A limit of a wait. */
export type WaitLimit = {
  /** How far the clock moves at most, in milliseconds; by default a year. A wait for requests is in real time. */
  readonly withinMs?: number
}

/**
 * Moves a manual clock. With any other clock, every method throws a usage error.
 * `State` are the states of its runs.
 */
export type ClockHandle<E = Effect, State extends string = RunState> = {
  /** Advances the clock by this many milliseconds. Resolves when all effects are sent. */
  readonly advance: (byMs: number) => Promise<void>
  /**
   * Advances the clock until an effect matches, until a run reaches a state, with `next` to the next timer, or with `idle`
   * until no timer is left; a run that never ends by its scenario has none. Waits for agents and senders that are working, and never lets them time out. Resolves when all
   * effects are sent. Throws if no timer is left and nothing has matched, or if that takes too long.
   */
  readonly until: (
    what: 'idle' | 'next' | State | ((effect: E) => boolean),
    limit?: WaitLimit,
  ) => Promise<void>
}

/** The methods of each running machine that script and observe it. Its journal has all that they do. */
export type WorldHandle = {
  /**
   * The requests since the last reset that match all members of the filter, oldest first. Secrets are placeholders. The
   * latest 10,000 are kept, up to 8 MiB.
   */
  readonly requests: (filter?: RequestFilter) => Promise<readonly ReceivedRequest[]>
  /** Counts the requests since the last reset that match, and lists those that nearly do. */
  readonly verify: (expected: Expectation) => Promise<Verification>
  /**
   * Waits until as many requests as expected (by default one) match since the last reset, and returns the latest of them:
   * immediately if they are there. The wait is in real time, whatever the clock. Throws with the requests that come
   * closest after `withinMs` milliseconds, by default 5000, and when the world closes.
   */
  readonly received: (expected?: Expectation, limit?: WaitLimit) => Promise<ReceivedRequest>
  /**
   * Returns the world to its start, with the rules and faults of its scenario. Sockets close with 1012, and requests that
   * wait get 503. Resolves when all of that is sent.
   */
  readonly reset: () => Promise<void>
  /** Keeps the state of the world under a name, and returns the name. */
  readonly snapshot: (name?: string) => string
  /** Returns the world to a snapshot. Sockets close with 1012, and requests that wait get 503. */
  readonly restore: (name: string) => Promise<void>
  /** The latest journal entries as lines of JSON, after a line with the options. They contain no secret. */
  readonly journal: () => Promise<readonly string[]>
  /**
   * The session since the last reset as the text of a HAR file: requests and responses, messages and frames with their
   * pictures, as far as the journal keeps them. It contains no secret.
   */
  readonly recording: () => Promise<string>
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

/** A fault in force, and how many requests or messages it has matched and changed. */
export type ActiveFault = {
  readonly id: string
  readonly fault: Fault
  readonly matched: number
  readonly applied: number
}

/** A fault that is in force. */
export type FaultHandle = {
  readonly id: string
  readonly remove: () => void
}

/** The options of a world: those of a server that do not belong to its listener, and a name. */
export type WorldOptionsInput = Omit<ServerOptionsInput, ListenerOption> & {
  /** Letters, digits, dots, dashes and underscores; by default `w` and a number. */
  readonly name?: string
  /** 0 opens a listener on a free port for this world alone, in addition to its path below `/w/NAME`. */
  readonly port?: 0
  /** Where worlds have tokens: the token of this one; by default a random one. */
  readonly worldToken?: string
  /** The result of `save` of a world, which this one continues. It has the options of that one, and takes no others. */
  readonly saved?: Uint8Array
}

/** Returns what takes the entries of the world with this name. */
export type WorldReader = (name: string, options: ServerOptions) => (entry: Entry) => void

/** The options that all worlds at an address share. */
export type ListenerOption = (typeof listenerOptions)[number]
export const listenerOptions = [
  'deployment',
  'host',
  'port',
  'tls',
  'tlsCert',
  'tlsKey',
  'token',
  'cors',
  'control',
  'controlToken',
  ...sharedNames,
  'signedBaseUrl',
  'explain',
  'webRoot',
  'templates',
  'journal',
  'overwrite',
] as const

/**
 * A running server, or one of the worlds that it serves.
 * @example
 * import assert from 'node:assert'
 * import { startEmulator } from 'flowdouble'
 *
 * const server = await startEmulator({ clock: 'manual' })
 * const prompt = {
 *   '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
 *   '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
 * }
 * const submit = () =>
 *   fetch(`${server.url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) })
 * server.fault({ when: { path: '/prompt', nth: 1 }, then: { status: 503, retryAfter: 1 } })
 * assert.equal((await submit()).status, 503)
 * assert.equal((await submit()).status, 200)
 * await server.until('success')
 * assert.equal(server.runs()[0].state, 'success')
 * const { passed } = await server.verify({ method: 'POST', path: '/prompt', times: 2 })
 * assert.ok(passed)
 * await server.reset()
 * assert.deepEqual(server.runs(), [])
 * await server.close()
 */
export type Emulator = ClockHandle &
  WorldHandle &
  ClientSettings & {
    /**
     * Advances the clock until the server sends a message of this type, to any client, whose data contains these members.
     * Returns its data. Resolves when all effects are sent. Throws if no timer is left and no message has matched.
     */
    readonly untilMessage: <T extends MessageType>(
      type: T,
      data?: MessageData<T>,
      limit?: WaitLimit,
    ) => Promise<MessageData<T>>
    /** The name of a world below `/w/NAME`; null for the server itself. */
    readonly name: string | null
    /** Base address, such as `http://127.0.0.1:8188`. */
    readonly url: string
    readonly port: number
    /** The base of the signed links for clients of `url`; null on a local server. */
    readonly signedUrl: string | null
    /** The token that opens its control paths, where worlds have tokens; otherwise null. */
    readonly worldToken: string | null
    /** The CA certificate in PEM form that clients must trust with `tls: 'auto'`; otherwise null. */
    readonly ca: string | null
    readonly options: ServerOptions
    /** Adds a fault from now on; one with the same id is replaced. */
    readonly fault: (fault: Fault) => FaultHandle
    /** The faults in force, with the numbers of their matches. */
    readonly faults: () => readonly ActiveFault[]
    /** Removes a fault by its id; returns whether it existed. */
    readonly removeFault: (id: string) => boolean
    /**
     * Replaces the rules and faults of the scenario in force by those of a file, of a scenario of the package by its name,
     * or of the content of one; several are merged in order. Content applies immediately, before the promise resolves.
     */
    readonly load: (scenario: NonNullable<ServerOptionsInput['scenario']>) => Promise<void>
    /**
     * The messages of the sockets since the last reset that match, oldest first: those among the latest 1,000 entries of
     * the journal, some 36 runs of 20 steps. Reset the world between tests, or use a snapshot.
     */
    readonly messages: (filter?: Partial<SocketMessage>) => Promise<readonly SocketMessage[]>
    /** The binary frames since the last reset that match, oldest first: like `messages`. */
    readonly frames: (filter?: Partial<SentFrame>) => Promise<readonly SentFrame[]>
    /** The runs in the queue and in the history, in the order of their submits. */
    readonly runs: () => readonly RunView[]
    /** Resolves with the code of its exit when a fault ends the server for good; immediately if it has already. */
    readonly exited: () => Promise<number>
    /** Ends all open sockets: by default with a reset, so that their clients see code 1006. Returns how many they were. */
    readonly dropSockets: (how?: SocketEnd) => Promise<number>
    /**
     * Creates a world with the state of this one, below `/w/NAME` at the same address. From then on, neither affects the
     * other. It has no sockets, and its journal begins with the entries of this one.
     */
    readonly fork: (name?: string) => Promise<Emulator>
    /** Creates a separate world below `/w/NAME` at the same address, with the options of this server except for these. */
    readonly world: (options?: WorldOptionsInput) => Promise<Emulator>
    /** The worlds below `/w/NAME` at this address, in the order in which they were created. */
    readonly worlds: () => readonly Emulator[]
    /**
     * The world as a file, which `world` continues, here or in another process of the same version. It has the uploads and
     * the snapshots of the world, and nothing of its journal, which contains credentials of clients.
     */
    readonly save: () => Promise<Uint8Array<ArrayBuffer>>
    /** Stops listening and closes all connections; closing a world below `/w/NAME` removes it. */
    readonly close: () => Promise<void>
  }

/** The options that all gateways at an address share. */
export const gatewayListenerOptions = [
  'host',
  'port',
  'like',
  'control',
  'controlToken',
  'explain',
  'store',
  'keepDays',
  'storeMib',
  'leaseMs',
] as const

/** The options of a gateway below `/w/NAME`, and its name. */
export type GatewayWorldInput = Omit<
  GatewayOptionsInput,
  (typeof gatewayListenerOptions)[number]
> & {
  /** Letters, digits, dots, dashes and underscores; by default `w` and a number. */
  readonly name?: string
}

/** A running gateway, or one of those below `/w/NAME` at its address. */
export type Gateway = ClockHandle<GatewayEffect, AgentRun['status']> &
  WorldHandle & {
    /** The name of a gateway below `/w/NAME`; null for the one at the root. */
    readonly name: string | null
    /** Base address, such as `http://127.0.0.1:8644`. */
    readonly url: string
    readonly port: number
    readonly options: CompleteGatewayOptions
    /** The names of the active routes: static ones first, then subscriptions. */
    readonly routes: () => readonly string[]
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
    /**
     * Creates a gateway with the state of this one, below `/w/NAME` at the same address. From then on, neither affects the
     * other. Its journal begins with the entries of this one.
     */
    readonly fork: (name?: string) => Promise<Gateway>
    /** Creates a separate gateway below `/w/NAME` at the same address, with the options of this one except for these. */
    readonly world: (options?: GatewayWorldInput) => Promise<Gateway>
    /** The gateways below `/w/NAME` at this address, in the order in which they were created. */
    readonly worlds: () => readonly Gateway[]
    /**
     * Refuses posts with 503 from now on, and resolves when agents and senders have finished, at the latest after so many
     * milliseconds of real time. Resolves to the number of accepted runs that are not delivered: `close` hands them back to
     * the store, if there is one.
     */
    readonly drain: (withinMs: number) => Promise<number>
    /** Stops listening, closes all connections, and ends running work; one below `/w/NAME` is removed. */
    readonly close: () => Promise<void>
  }
