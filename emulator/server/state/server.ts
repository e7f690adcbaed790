// The types of a server: its worlds, and what is specific to its deployment.

import type { Reply } from '../../http/replies.ts'
import type { Effect, IncomingRequest, Input, RequestHead } from '../../machine.ts'
import type { Timers } from '../../lib/timers.ts'
import type { Wire } from './faults.ts'
import type { TimerTarget } from './runs.ts'
import type { ScriptState } from './scenario.ts'
import type { Stream } from './v2.ts'
import type { SignedLinks, WorldOptions } from './options.ts'
import type { Hashing, HostedWorld, World, WorldState } from './world.ts'

/** The world for a request or handshake, or its refusal. */
export type Admission = { readonly world: World } | { readonly refusal: Reply }

/** A request with the number that the edge has chosen for it. */
export type NumberedRequest = IncomingRequest & { readonly request: number }

/** The functions in which a hosted server differs from a local one. */
export type Hosted = Hashing & {
  readonly admit: (server: Server, head: RequestHead) => Admission
  readonly answer: (
    server: Server,
    world: HostedWorld,
    request: NumberedRequest,
    path: string,
    query: string,
  ) => Reply
  /** Whether any handler reads the body of the request. */
  readonly readsBody: (world: World, method: string, path: string) => boolean
  readonly answerLink: (
    server: Server,
    input: Extract<Input, { kind: 'request' }>,
  ) => readonly Effect[]
  /** The start of links, for a client that addressed this host and port. */
  readonly linkBase: (links: SignedLinks, host: string | undefined) => string
  /** Sends to each stream what has changed about its job. */
  readonly followStreams: (server: Server) => void
  /** Does the next step of a task of an account. */
  readonly advanceTask: (world: World, task: string) => void
  /** A request gets this 5xx although the server may have done what it requests. */
  readonly noteFailure: (server: Server, request: IncomingRequest, reply: Reply) => void
  /** Lets happen what is due to a call of the Router; returns the answer to the request that waits for it. */
  readonly fireCall: (
    world: HostedWorld,
    call: string,
  ) => { readonly request: number; readonly path: string; readonly reply: Reply } | undefined
  /** Adds to a reply what all replies of its API have. */
  readonly mark: (server: Server, path: string, reply: Reply) => Reply
  /** The error in a request for the socket path that is not a handshake. */
  readonly handshakeNeeded: string
}

/** A secret that a server knows, in all its spellings, the longest first. */
export type KnownSecret = { readonly text: string; readonly spellings: readonly string[] }

/** Everything that changes in a server, as plain data: its structured clone is a fork of the server. */
export type ServerState = {
  /** The time of all its worlds, in milliseconds since its start. */
  nowMs: number
  readonly timers: Timers<TimerTarget>
  /** The script in force. */
  readonly script: ScriptState
  /** What faults have begun and not ended; null until a fault needs it. */
  wire: Wire | null
  /** In the order of the accounts; local has one world. */
  readonly worlds: readonly WorldState[]
  /** The index of the world of each open socket. */
  readonly sockets: Map<number, number>
  /** The open streams by the numbers of their requests. */
  readonly streams: Map<number, Stream>
  /** Until when it refuses connections, in milliseconds of its time: infinite after its exit. 0 if it never has. */
  downUntilMs: number
  /** Whether it refuses connections. */
  isDown: boolean
  /** With which code it has exited; null if it has not. */
  exitCode: number | null
  /** Those that have ended in the present step: faults can hold back what they have sent. */
  readonly endedStreams: Map<number, Stream>
}

export type Server = {
  readonly options: WorldOptions
  /** Null on local. */
  readonly hosted: Hosted | null
  /** The credentials of its clients, which are never sent to others. */
  readonly secrets: readonly KnownSecret[]
  /** Only server.ts replaces it, together with the worlds. */
  state: ServerState
  /** Its worlds, each with its setup. */
  worlds: readonly [World, ...World[]]
  /** States by the names of their snapshots. None of them has sockets, and none changes. */
  readonly snapshots: Map<string, ServerState>
}
