// A world, as a type: what one account has of a server, on local all of it. Only step.ts and the areas change it.

import type { Bounded } from '../../lib/bounded.ts'
import type { Random } from '../../lib/random.ts'
import type { Effect } from '../../machine.ts'
import type { HeldBytes, Installs, StoredFile, UserFolder } from './files.ts'
import type { Account, SignedLinks, WorldOptions } from './options.ts'
import type { Entry, Run, Worker } from './runs.ts'

export type Socket = {
  readonly id: number
  readonly clientId: string
  /** Whether the first message of the client has been seen; only that one negotiates features. */
  negotiated: boolean
  supportsPreviewMetadata: boolean
}

export type RunState = Extract<Effect, { kind: 'run' }>['state']

export type Line = { readonly atMs: number; readonly prompt_id: string; readonly state: RunState }

export type Log = {
  /** Oldest first; those before the latest ones wait to be dropped. */
  lines: Line[]
  /** Ids of the clients that get each new line; too many push the oldest out. */
  readonly subscribers: Bounded<true>
}

/** What only a hosted server hashes with. Hashes are hexadecimal. */
export type Hashing = {
  readonly blake3Hex: (bytes: Uint8Array) => string
  readonly hmacHex: (key: string, text: string) => string
  readonly sha256Hex: (text: string) => string
}

/** What the world of an account has on hosted. */
export type HostedState = {
  readonly account: Account
  /** Names files after their content, and signs links. */
  readonly hashing: Hashing
  /** Where its links lead. */
  readonly links: SignedLinks
  /** What the account has left to spend on partner nodes. */
  balance: number
  /** Ids of the jobs that were deleted. */
  readonly deletedJobs: Bounded<true>
}

export type World = {
  readonly options: WorldOptions
  /** What it has on hosted alone; null on local. */
  readonly hosted: HostedState | null
  readonly quirks: ReadonlySet<string>
  /** How a text is spelled in a hash: alike on the server of a replay, which does not know the secrets. */
  readonly spell: (text: string) => string
  /** Where all picture ids start, so that two seeds never paint the same. */
  readonly pictureSeed: number
  nowMs: number
  readonly random: Random
  /** Effects of the step that is under way. */
  effects: Effect[]

  /** Given to the next submit without a number of its own. */
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
  readonly history: Bounded<Entry>
  /** Characters of all entries together. */
  historyLength: number

  /** Stored files by `type/subfolder/name`. */
  readonly files: Bounded<StoredFile>
  /** The uploaded bytes that these hold. */
  readonly held: HeldBytes
  /** Highest counter in use, by `type/subfolder/base name`. */
  readonly counters: Bounded<number>

  readonly installs: Installs

  readonly userFolder: UserFolder
  /** Names of the users that were added. */
  readonly userNames: Set<string>
  readonly log: Log

  readonly sockets: Map<number, Socket>
  /** The socket that receives for a client id: the newest one. */
  readonly socketByClient: Map<string, number>
}

/** The world of an account. */
export type HostedWorld = World & { readonly hosted: HostedState }
