// The type of a world: the part of a server that one account has, on local all of it. Its setup never changes; its
// state is plain data, which only step.ts and the areas change.

import type { Generation } from '../../../spec/generations.ts'
import type { Bounded } from '../../lib/bounded.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import type { Random } from '../../lib/random.ts'
import type { Timer, Timers } from '../../lib/timers.ts'
import type { Effect } from '../../machine.ts'
import type { AccountState } from './accounts.ts'
import type { Assets } from './assets.ts'
import type { HeldBytes, Installs, StoredFile, UserFolder } from './files.ts'
import type { ScriptState } from './scenario.ts'
import type { Traits } from './traits.ts'
import type { Account, SignedLinks, WorldOptions } from './options.ts'
import type { RouterState } from './router.ts'
import type { V2State } from './v2.ts'
import type { PartnerState } from './partner.ts'
import type { TimerTarget, HistoryEntry, Run, Worker } from './runs.ts'

export type Socket = {
  readonly id: number
  readonly clientId: string
  /** The client id with which it was opened: hosted ignores it, but faults can name it. */
  readonly askedId: string | undefined
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
  /** Oldest first; older lines than the latest ones are removed in batches. */
  lines: LogLine[]
  /** Ids of the clients that receive each new line; the oldest are removed beyond the limit. */
  readonly subscribers: Bounded<true>
}

/** The hash functions that only a hosted server needs. Hashes are hexadecimal. */
export type Hashing = {
  readonly blake3Hex: (bytes: Uint8Array) => string
  readonly hmacHex: (key: string, text: string) => string
  readonly sha256Hex: (text: string) => string
}

/** The hosted part of a world's setup. */
export type HostedSetup = {
  readonly account: Account
  /** Names files by their content, and signs links. */
  readonly hashing: Hashing
  /** The base URL of its links. */
  readonly links: SignedLinks
}

/** The model files that runs have loaded, oldest first, and whether to unload them when no run needs them. */
export type Memory = { readonly models: Set<string>; isUnloading: boolean }

/** The messages that timers send. */
export type Chatter = {
  /** By the index of their rule; null for a rule without one. */
  timers: (Timer<TimerTarget> | null)[]
  /** How many were sent since the last input. */
  sent: number
}

/** The setup of a world. It never changes, and forks of a world share it. */
export type WorldSetup = {
  /** The index of the world on its server. */
  readonly index: number
  readonly options: WorldOptions
  /** The hosted part of the setup; null on local. */
  readonly hosted: HostedSetup | null
  readonly quirks: ReadonlySet<QuirkId>
  /** Which endpoints a local server has; how it behaves beyond those is in its traits. */
  readonly generation: Generation
  /** How a text is spelled in a hash: the same on the server of a replay, which does not know the secrets. */
  readonly spell: (text: string) => string
  readonly traits: Traits
  /** The start of all picture ids, so that two seeds never paint the same. */
  readonly pictureSeed: number
}

/** Everything that changes in a world, as plain data that `structuredClone` copies. */
export type WorldState = {
  nowMs: number
  readonly random: Random

  /** The priority of the next prompt without a number. */
  counter: number
  nextSerial: number
  /** The number of runs that have begun. */
  startedCount: number
  /** Pending runs as a heap, by number and submit order; deleted ones stay until they reach the top. */
  readonly pending: Run[]
  readonly pendingById: Map<string, Run[]>
  pendingCount: number
  /** The size of all pending runs. */
  pendingBytes: number
  /** One on local; on hosted the number of runs that the account may have at a time. */
  readonly workers: readonly Worker[]
  /** Letters in the names of temporary files, by node id and type. */
  readonly tempLetters: Bounded<string>

  /** Finished runs by prompt_id. */
  readonly history: Bounded<HistoryEntry>
  /** The total length of all entries, in characters. */
  historyLength: number
  /** Whether requests have missed, or will miss, entries of the history that exist. */
  hasMissedEntries: boolean
  /** Until when a record may lag behind the end of its run, in milliseconds of the world's time. */
  lagUntilMs: number

  /** Stored files by `type/subfolder/name`. */
  readonly files: Bounded<StoredFile>
  /** The uploaded bytes of these files. */
  readonly held: HeldBytes
  /** The highest counter in use, by `type/subfolder/base name`. */
  readonly counters: Bounded<number>

  readonly installs: Installs
  readonly memory: Memory

  readonly assets: Assets

  readonly userFolder: UserFolder
  /** The names of added users. */
  readonly userNames: Set<string>
  readonly log: Log

  readonly sockets: Map<number, Socket>
  /** The socket that receives the messages for a client id: the newest one. */
  readonly socketByClient: Map<string, number>
  readonly chatter: Chatter

  /** The balance of the account for partner nodes; absent on local. */
  balance: number
  /** What a hosted account keeps beside its runs and files; absent until it is needed. */
  account?: AccountState
  /** The ids of deleted jobs, on hosted. */
  readonly deletedJobs: Bounded<true>
  /** What only the hosted API v2 keeps. */
  readonly v2: V2State
  /** What the Router keeps; undefined until it is first used. */
  router?: RouterState
  readonly partner: PartnerState
}

/** A world at work: its setup, its state, and the current step. */
export type World = {
  readonly setup: WorldSetup
  readonly state: WorldState
  /** The timers of its server. */
  readonly timers: Timers<TimerTarget>
  /** The script of its server. */
  readonly script: ScriptState
  /** The effects of the current step. */
  effects: Effect[]
}

/** The world of an account. */
export type HostedWorld = World & { readonly setup: { readonly hosted: HostedSetup } }
