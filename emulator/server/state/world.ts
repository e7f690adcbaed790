// A world, as a type: what one account has of a server, on local all of it. What it is made from never changes; its state is
// plain data, which only step.ts and the areas change.

import type { Bounded } from '../../lib/bounded.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import type { Random } from '../../lib/random.ts'
import type { Timers } from '../../lib/timers.ts'
import type { Effect } from '../../machine.ts'
import type { HeldBytes, Installs, StoredFile, UserFolder } from './files.ts'
import type { Traits } from './traits.ts'
import type { Account, SignedLinks, WorldOptions } from './options.ts'
import type { TimerTarget, HistoryEntry, Run, Worker } from './runs.ts'

export type Socket = {
  readonly id: number
  readonly clientId: string
  /** Whether the first message of the client has been seen; only that one negotiates features. */
  negotiated: boolean
  supportsPreviewMetadata: boolean
}

export type RunState = Extract<Effect, { kind: 'run' }>['state']

export type LogLine = {
  readonly atMs: number
  readonly prompt_id: string
  readonly state: RunState
}

export type Log = {
  /** Oldest first; those before the latest ones wait to be dropped. */
  lines: LogLine[]
  /** Ids of the clients that get each new line; too many push the oldest out. */
  readonly subscribers: Bounded<true>
}

/** What only a hosted server hashes with. Hashes are hexadecimal. */
export type Hashing = {
  readonly blake3Hex: (bytes: Uint8Array) => string
  readonly hmacHex: (key: string, text: string) => string
  readonly sha256Hex: (text: string) => string
}

/** What the world of an account has on hosted, and what never changes. */
export type HostedSetup = {
  readonly account: Account
  /** Names files after their content, and signs links. */
  readonly hashing: Hashing
  /** Where its links lead. */
  readonly links: SignedLinks
}

/** The model files that runs have loaded, oldest first, and whether they go when no run needs them any more. */
export type Memory = { readonly models: Set<string>; isUnloading: boolean }

/** What a world is made from. It never changes, and forks of a world share it. */
export type WorldSetup = {
  /** The place of the world among those of its server. */
  readonly index: number
  readonly options: WorldOptions
  /** What it has on hosted alone; null on local. */
  readonly hosted: HostedSetup | null
  readonly quirks: ReadonlySet<QuirkId>
  /** How a text is spelled in a hash: alike on the server of a replay, which does not know the secrets. */
  readonly spell: (text: string) => string
  readonly traits: Traits
  /** Where all picture ids start, so that two seeds never paint the same. */
  readonly pictureSeed: number
}

/** All that changes in a world, as plain data that `structuredClone` copies. */
export type WorldState = {
  nowMs: number
  readonly random: Random

  /** The priority of the next prompt without a number. */
  counter: number
  nextSerial: number
  /** Runs that have begun so far. */
  startedCount: number
  /** Pending runs as a heap, by number and submit order; deleted ones stay until they reach the top. */
  readonly pending: Run[]
  readonly pendingById: Map<string, Run[]>
  pendingCount: number
  /** Size of what the pending runs hold. */
  pendingBytes: number
  /** One on local; on hosted as many as the account may have runs at a time. */
  readonly workers: readonly Worker[]
  /** Letters in the names of temporary files, by node id and type. */
  readonly tempLetters: Bounded<string>

  /** Finished runs by prompt_id. */
  readonly history: Bounded<HistoryEntry>
  /** Characters of all entries together. */
  historyLength: number

  /** Stored files by `type/subfolder/name`. */
  readonly files: Bounded<StoredFile>
  /** The uploaded bytes that these hold. */
  readonly held: HeldBytes
  /** Highest counter in use, by `type/subfolder/base name`. */
  readonly counters: Bounded<number>

  readonly installs: Installs
  readonly memory: Memory

  readonly userFolder: UserFolder
  /** Names of the users that were added. */
  readonly userNames: Set<string>
  readonly log: Log

  readonly sockets: Map<number, Socket>
  /** The socket that receives for a client id: the newest one. */
  readonly socketByClient: Map<string, number>

  /** What the account has left to spend on partner nodes; nothing on local. */
  balance: number
  /** Ids of the jobs that were deleted, on hosted. */
  readonly deletedJobs: Bounded<true>
}

/** A world at work. */
export type World = {
  readonly setup: WorldSetup
  readonly state: WorldState
  /** What is due on its server. */
  readonly timers: Timers<TimerTarget>
  /** The effects of the current step. */
  effects: Effect[]
}

/** The world of an account. */
export type HostedWorld = World & { readonly setup: { readonly hosted: HostedSetup } }
