// A server, as a type: its worlds, and what is specific to its deployment.

import type { Reply } from '../../http/replies.ts'
import type { IncomingRequest, RequestHead } from '../../http/requests.ts'
import type { Effect, Input } from '../../machine.ts'
import type { Timers } from '../../lib/timers.ts'
import type { TimerTarget } from './runs.ts'
import type { SignedLinks, WorldOptions } from './options.ts'
import type { Hashing, HostedWorld, World, WorldState } from './world.ts'

/** The world that a request or handshake is for, or what keeps it out. */
export type Admission = { readonly world: World } | { readonly refusal: Reply }

/** What a hosted server does otherwise than a local one. */
export type Hosted = Hashing & {
  readonly admit: (server: Server, head: RequestHead) => Admission
  readonly answer: (
    server: Server,
    world: HostedWorld,
    request: IncomingRequest,
    path: string,
    query: string,
  ) => Reply
  /** Whether something reads the body of a request. */
  readonly readsBody: (world: World, method: string, path: string) => boolean
  readonly answerLink: (
    server: Server,
    input: Extract<Input, { kind: 'request' }>,
  ) => readonly Effect[]
  /** What links begin with, for a client that has named this host and port. */
  readonly linkBase: (links: SignedLinks, host: string | undefined) => string
  /** What is wrong with a request for the socket that is not a handshake. */
  readonly handshakeNeeded: string
}

/** A secret that a server knows, with all forms in which it may stand in a text, the longest first. */
export type KnownSecret = { readonly text: string; readonly spellings: readonly string[] }

/** All that changes in a server, as plain data: a structured clone of it is a fork of the server. */
export type ServerState = {
  /** The time of all its worlds, in milliseconds since its start. */
  nowMs: number
  readonly timers: Timers<TimerTarget>
  /** In the order of the accounts; local has one alone. */
  readonly worlds: readonly WorldState[]
  /** The index of the world of each socket that is open. */
  readonly sockets: Map<number, number>
}

export type Server = {
  readonly options: WorldOptions
  /** Null on local. */
  readonly hosted: Hosted | null
  /** What identifies its clients: nothing of it is sent to others. */
  readonly secrets: readonly KnownSecret[]
  readonly state: ServerState
  /** Its worlds, each with what it is made from. */
  readonly worlds: readonly [World, ...World[]]
}
