// The types of a server's options: its settings, and the accounts of a hosted server.

import type { tiers } from '../../../spec/server/access.ts'
import type { ExceptionType } from '../../../spec/server/errors.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import type { Deployment } from '../../../spec/language.ts'
import type { Script } from '../../../spec/scenario/scenario.ts'
import type { TypeTexts } from './nodes.ts'

/** The options that a user chooses, and a server uses as they are. */
export type ChosenOptions = {
  /** The deployment: local or hosted. */
  readonly deployment: Deployment
  /** The known server to behave like (see spec/truth/servers.ts); null to follow the documentation. */
  readonly like: string | null
  /** The users of a hosted server; each has a separate world. */
  readonly accounts: readonly Account[]
  /** Seed of ids, names and pictures. */
  readonly seed: string
  /** The delay between the reply to a submit and the first message of its run, in milliseconds of the server's time. */
  readonly startDelayMs: number
  /** Format of the previews that samplers send, or none. */
  readonly preview: 'jpeg' | 'png' | 'none'
  /** Which results runs reuse: those of the last graph, the latest ones, or none. */
  readonly cache: 'classic' | 'lru' | 'none'
  /** `any` accepts file names in model combos that the catalogue does not list. */
  readonly models: 'listed' | 'any'
  /** `accept` runs node types that the catalogue does not list, as pass-through. */
  readonly unknownNodes: 'refuse' | 'accept'
  /** Allowed origin in CORS mode, or `*`; null checks the origin of requests instead. */
  readonly cors: string | null
  /** Bearer token that every request requires; null for none. */
  readonly token: string | null
  /** Whether the node manager is installed. */
  readonly manager: boolean
  /** Whether a server of a later generation has assets. */
  readonly assets: boolean
  /** Whether it hashes the contents of all files, not only those that clients upload as assets. */
  readonly assetHashing: boolean
  /** Feature flags that a server of a later generation announces too, as `name` or `name=value`. */
  readonly featureFlag: readonly string[]
}

/** The options of a server. They cover everything that varies between two servers; its worlds share them. */
export type WorldOptions = ChosenOptions & {
  /** The time at which the world starts, in milliseconds since 1970. */
  readonly epochMs: number
  /** The duration of each node and each step of a sampler, in milliseconds. */
  readonly paceMs: number
  /** Returns the node types, the same ones each time. Called when they are first needed. */
  readonly objectInfo: () => TypeTexts
  /** Ids of the enabled quirks (see spec/truth/quirks.ts). */
  readonly quirks: readonly QuirkId[]
  /** The maximum number of finished runs; older ones are removed. */
  readonly historyLimit: number
  /** The maximum number of files in the three folders together; the oldest are removed first. */
  readonly fileLimit: number
  /** The maximum total size of uploads, in bytes; larger ones are rejected. */
  readonly uploadLimitBytes: number
  /** The maximum total size of pending workflows, in bytes; larger ones are rejected. */
  readonly pendingLimitBytes: number
  /** The maximum number of pending runs; further ones are rejected. Null for any number; absent in journals of earlier versions. */
  readonly pendingLimit?: number | null
  /** Largest request body in MiB; null for the default of 100. */
  readonly maxBody: number | null
  /** The paths of the scripts that extend its front end; empty without one. */
  readonly scripts: readonly string[]
  /** What scripts the server. */
  readonly script: Script
  /** The base URL of links to files of a hosted server; null on local, which serves the files itself. */
  readonly signedLinks: SignedLinks | null
}

export type Tier = keyof typeof tiers

/** A user of a hosted server, and the state of the account. */
export type Account = {
  /** The name of the account: the id of its user, and part of its workspace's id and of its signed links. */
  readonly user: string
  /** The API keys of the account. */
  readonly keys: readonly string[]
  readonly tier: Tier
  /** The balance for partner nodes; each run of one costs `partnerNodeCost`. */
  readonly balance: number
  readonly subscription: 'active' | 'inactive'
  /** The key that partner nodes accept; null if the account has none. */
  readonly partnerKey: string | null
  /** The failure of every run of the account before any node starts; null to run the workflow. */
  readonly failsWith: ExceptionType | null
}

/** The base URL of signed links, and how they are served. */
export type SignedLinks = {
  readonly scheme: 'http' | 'https'
  readonly port: number
  /** The start of links instead of scheme, host and port, without a trailing slash; null for those. */
  readonly baseUrl: string | null
  /** Whether a link with a credential is rejected. */
  readonly strict: boolean
  /** The path of a proxy, below which clients find the paths of the server; absent without one. */
  readonly publicPath?: string
}
