// What a server is made from, as types: its options, the accounts of a hosted one, the failures that are planned.

import type { tiers } from '../../../spec/server/access.ts'
import type { ExceptionType } from '../../../spec/server/errors.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import type { Deployment } from '../../../spec/language.ts'

/** What a server is made from. Everything that varies between two servers is here; its worlds share it. */
export type WorldOptions = {
  /** The deployment: local or hosted. */
  readonly deployment: Deployment
  /** The known server as which it behaves (see spec/truth/servers.ts); null for none. */
  readonly like: string | null
  /** Who may use a hosted server; one world is made for each. */
  readonly accounts: readonly Account[]
  /** Which nodes of which runs fail, and how. The first entry that matches a node applies. */
  readonly failures: readonly ScenarioFailure[]
  /** Seed of ids, names and pictures. */
  readonly seed: string
  /** The moment at which the world starts, in milliseconds since 1970. */
  readonly epochMs: number
  /** Time that each node and each step of a sampler takes, in milliseconds. */
  readonly paceMs: number
  /** Time between the answer to a submit and the first message of its run, in milliseconds. */
  readonly startDelayMs: number
  /** Format of the previews that samplers send, or none. */
  readonly preview: 'jpeg' | 'png' | 'none'
  /** Which results runs reuse: those of the last graph, the latest ones, or none. */
  readonly cache: 'classic' | 'lru' | 'none'
  /** Returns the node types, as the JSON text that `GET /object_info` of some server gave. Called when they are first needed. */
  readonly objectInfo: () => string
  /** `any` accepts file names in model combos that the catalogue does not list. */
  readonly models: 'listed' | 'any'
  /** `accept` runs node types that the catalogue does not list, as pass-through. */
  readonly unknownNodes: 'refuse' | 'accept'
  /** Ids of the quirks that are switched on (see spec/truth/quirks.ts). */
  readonly quirks: readonly QuirkId[]
  /** Finished runs that are kept; older ones are forgotten. */
  readonly historyLimit: number
  /** Files that are kept in the three folders together; the oldest go first. */
  readonly fileLimit: number
  /** Total size of uploads that are kept, in bytes; what would go beyond is refused. */
  readonly uploadLimitBytes: number
  /** Total size of the pending workflows, in bytes; what would go beyond is refused. */
  readonly pendingLimitBytes: number
  /** Largest request body in MiB; null for the default of 100. */
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

export type Tier = keyof typeof tiers

/** Somebody who uses a hosted server, and how things stand with them. */
export type Account = {
  /** Name of the account: part of its signed links, and of nothing else that it can see. */
  readonly user: string
  /** The API keys of the account. */
  readonly keys: readonly string[]
  readonly tier: Tier
  /** What it can spend on partner nodes; each run of one costs `partnerNodeCost`. */
  readonly balance: number
  readonly subscription: 'active' | 'inactive'
  /** The key that partner nodes take; null when the account has none. */
  readonly partnerKey: string | null
  /** The word with which every run of it fails before any node begins; null for what the workflow says. */
  readonly failsWith: ExceptionType | null
}

/** A failure that a caller plans: it hits each node that fits all that it names. */
export type ScenarioFailure = {
  readonly class_type?: string
  readonly node_id?: string
  /** The account whose runs it is about; those of all when absent, and always on local. */
  readonly user?: string
  /** The accepted run of an account, counted from 1 in the order of submits; each when absent. */
  readonly run?: number
  readonly exception_type: string
  readonly exception_message?: string
}

/** Where signed links lead, and how they are taken there. */
export type SignedLinks = {
  readonly scheme: 'http' | 'https'
  readonly port: number
  /** What links begin with instead of scheme, host and port, without a slash at the end; null for those. */
  readonly baseUrl: string | null
  /** Whether a link that comes with a credential is refused. */
  readonly strict: boolean
}
