// A world: what one account has of a server, on local all of it. Its whole state, as plain data; only step.ts and the areas
// change it.

import { tiers } from '../../../spec/server/access.ts'
import type { Deployment } from '../../../spec/language.ts'
import { type Bounded, createBounded } from '../../lib/bounded.ts'
import { numberSecrets } from '../../journal/known-secrets.ts'
import { hash53, type Random, createRandom } from '../../lib/random.ts'
import type { Effect } from '../../machine.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { Account } from '../hosted/access.ts'
import type { ScenarioFailure } from '../runs/failures.ts'
import type { StoredFile } from './files.ts'
import { addExampleFiles } from './files.ts'
import type { Entry } from './history.ts'
import { createUserFolder, type UserFolder } from './user-folder.ts'
import { createInstalls, type Installs } from './installs.ts'
import type { Hashing } from './hashing.ts'
import type { Log } from './log.ts'
import type { Running } from '../runs/running.ts'
import type { SignedLinks } from '../hosted/signed-links.ts'
import type { NodeResult } from '../nodes/node.ts'

/** What a server is made from. Everything that varies between two servers is here; its worlds share it. */
export type WorldOptions = {
  /** Which of the two forms of the server it is. */
  readonly deployment: Deployment
  /** Who may use a hosted server; one world is made for each. */
  readonly accounts: readonly Account[]
  /** Which nodes of which runs fail, and how; the first that fits a node counts. */
  readonly failures: readonly ScenarioFailure[]
  /** Ids, names and pictures depend on it. */
  readonly seed: string
  /** The moment at which the world starts, in milliseconds since 1970. */
  readonly epochMs: number
  /** Time that each node and each step of a sampler takes, in milliseconds. */
  readonly paceMs: number
  /** Time between the answer to a submit and the first message of its run, in milliseconds. */
  readonly startDelayMs: number
  /** Format of the previews that samplers send, or none. */
  readonly preview: 'jpeg' | 'png' | 'none'
  /** The node types, as the JSON text that `GET /object_info` of some server gave. */
  readonly objectInfo: string
  /** `any` accepts file names in model combos that the catalogue does not list. */
  readonly models: 'listed' | 'any'
  /** `accept` runs node types that the catalogue does not list, as pass-through. */
  readonly unknownNodes: 'refuse' | 'accept'
  /** Ids of the quirks that are switched on (see spec/quirks.ts). */
  readonly quirks: readonly string[]
  /** Finished runs that are kept; older ones are forgotten. */
  readonly historyLimit: number
  /** Files that are kept in the three folders together; the oldest go first. */
  readonly fileLimit: number
  /** Total size of uploads that are kept, in bytes; what would go beyond is refused. */
  readonly uploadLimitBytes: number
  /** Total size of the pending workflows, in bytes; what would go beyond is refused. */
  readonly pendingLimitBytes: number
  /** Largest request body in MiB; null for the usual 100. */
  readonly maxBody: number | null
  /** The origin that replies name in CORS mode; null checks the origin of requests instead. */
  readonly cors: string | null
  /** The bearer token that requests need; null lets everyone in. */
  readonly token: string | null
  /** Whether the node manager is installed. */
  readonly manager: boolean
  /** Where the links to files of a hosted server lead; null on local, which gives the files itself. */
  readonly signedLinks: SignedLinks | null
}

/** A submitted run that waits for its turn. */
export type Run = {
  readonly prompt_id: string
  /** Priority: the smallest runs first. */
  readonly number: number
  /** Priority as it is shown: a client's own number is a float. */
  readonly numberText: string
  /** Order of accepted submits from 0, which decides between equal numbers. */
  readonly serial: number
  /** The graph with coerced values, as JSON text. */
  readonly graphText: string
  /** The graph, or null where it is read again from its text when its turn comes. */
  graph: JsonObject | null
  /** extra_data as JSON text, without partner keys. */
  readonly extraDataText: string
  /** extra_data with the partner keys, shown by the quirk `local.queue-shows-partner-key` only; else the same text. */
  readonly shownExtraDataText: string
  readonly client_id: string | null
  /** Whether it came with a key that partner nodes take. */
  readonly hasPartnerKey: boolean
  /** Which saved workflow it is of, as a hosted client says; null where it does not. */
  readonly workflow_id: string | null
  /** Output nodes to execute. */
  readonly outputs: readonly string[]
  readonly submittedAtMs: number
  /** Set when accepting the run was a mistake of the server that ends it as soon as it starts (see errors.ts, poison). */
  readonly poison: string | null
  /** Set when the run was taken out of the queue before its turn. */
  deleted: boolean
}

export type Socket = {
  readonly id: number
  readonly clientId: string
  /** Whether the first message of the client has been seen; only that one negotiates features. */
  negotiated: boolean
  supportsPreviewMetadata: boolean
}

/** Takes one run after the other out of the queue. */
export type Worker = {
  running: Running | null
  /** When it does its next thing; undefined while it has nothing to do. */
  dueMs: number | undefined
  /** Whether its run is to stop at the next check point. */
  interrupted: boolean
  /** Whether the result cache is dropped before the next run. */
  dropCache: boolean
  /** A worker that a poison request has killed (quirk) takes no more runs. */
  dead: boolean
  /** Results of the nodes of its latest graph, by content hash. */
  cache: Map<number, NodeResult>
}

const createWorker = (): Worker => ({
  running: null,
  dueMs: undefined,
  interrupted: false,
  dropCache: false,
  dead: false,
  cache: new Map(),
})

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
  uploadedBytes: number
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

export const isHosted = (world: World): world is HostedWorld => world.hosted !== null

/** What a world of this account has on hosted at first. */
export const createHostedState = (
  { historyLimit }: WorldOptions,
  known: Pick<HostedState, 'account' | 'hashing' | 'links'>,
): HostedState => ({
  ...known,
  balance: known.account.balance,
  deletedJobs: createBounded(historyLimit),
})

/** A new world. Every option has to be given; emulator/options.ts has the defaults. */
export function createWorld(options: WorldOptions, hosted: HostedState | null = null): World {
  const workers = hosted === null ? 1 : tiers[hosted.account.tier].runsAtATime
  const world: World = {
    options,
    hosted,
    quirks: new Set(options.quirks),
    spell: numberSecrets(options),
    pictureSeed: hash53(`pictures of ${options.seed}`),
    nowMs: 0,
    random: createRandom(
      hosted === null ? options.seed : `${options.seed} of ${hosted.account.user}`,
    ),
    effects: [],
    counter: 0,
    nextSerial: 0,
    startedCount: 0,
    pending: [],
    pendingById: new Map(),
    pendingCount: 0,
    pendingBytes: 0,
    workers: Array.from({ length: workers }, createWorker),
    tempLetters: createBounded(options.fileLimit),
    history: createBounded(options.historyLimit),
    historyLength: 0,
    files: createBounded(options.fileLimit),
    uploadedBytes: 0,
    // A few for each file; older ones belong to files that are gone.
    counters: createBounded(4 * options.fileLimit),
    installs: createInstalls(),
    userFolder: createUserFolder(options.epochMs),
    userNames: new Set(),
    log: { lines: [], subscribers: createBounded(1000) },
    sockets: new Map(),
    socketByClient: new Map(),
  }
  addExampleFiles(world)
  return world
}

/** A moment of the world as a client sees it: whole milliseconds since 1970. `ms` is the world's own time. */
export const momentOf = ({ options }: World, ms: number): number => options.epochMs + Math.floor(ms)

/** The world's time as a client sees it. */
export const timestamp = (world: World): number => momentOf(world, world.nowMs)

/** The runs that are executed at this moment, the one that began first at the front. */
export const runningOf = ({ workers }: World): readonly Running[] => {
  const running = workers.flatMap((worker) => worker.running ?? [])
  return running.length < 2 ? running : running.sort((a, b) => a.serial - b.serial)
}

/** Runs that are pending or running. */
export function remaining({ pendingCount, workers }: World): number {
  let count = pendingCount
  for (const { running } of workers) if (running !== null) count++
  return count
}
