// The options of a server, as a type: what a caller may set, and what each stands for.

import type { Deployment } from '../../spec/language.ts'
import type { Account, ScenarioFailure } from '../server/state/options.ts'

/** How the world's time passes: with the wall clock, so many times as fast, only when told to, or at once. */
export type Clock = 'real' | 'manual' | 'instant' | `x${number}`

/** Options of a server. Each has a default. */
export type ServerOptions = {
  /** Which of the two forms of the server it is. */
  readonly deployment: Deployment
  /** Who may use a hosted server. */
  readonly accounts: readonly Account[]
  /** Which nodes of which runs fail, and how; the first that fits a node counts. */
  readonly failures: readonly ScenarioFailure[]
  /** TCP port; 0 takes a free one. */
  readonly port: number
  /** Address to listen on. */
  readonly host: string
  /** Ids, names and pictures depend on it. */
  readonly seed: string
  readonly clock: Clock
  /** Milliseconds of the world's time for each node and each step. */
  readonly pace: number
  /** Format of previews, or none. */
  readonly preview: 'jpeg' | 'png' | 'none'
  /** File with the `GET /object_info` of a server of one's own; the built-in catalogue when null. */
  readonly objectInfo: string | null
  readonly models: 'listed' | 'any'
  readonly unknownNodes: 'refuse' | 'accept'
  /** File that keeps all inputs and effects; null keeps the latest in memory only. */
  readonly journal: string | null
  /** Whether a journal file that is there already is replaced. */
  readonly overwrite: boolean
  /** Ids of quirks that are switched on. */
  readonly quirk: readonly string[]
  /** Origin that replies name in CORS mode, or `*`; null checks the origin of requests instead. */
  readonly cors: string | null
  /** Bearer token that every request needs; null lets everyone in. */
  readonly token: string | null
  /** What callers from elsewhere need as a bearer token to use the paths below /_flowdouble/; null keeps them out. */
  readonly controlToken: string | null
  /** Largest request body in MiB; null for the usual 100. */
  readonly maxBody: number | null
  /** Whether messages are compressed for sockets that offer it. */
  readonly wsCompress: boolean
  /** Whether the node manager is installed. */
  readonly manager: boolean
  /**
   * Start of the world's time: milliseconds since 1970, or `now`. By default a world on a real or scaled clock begins now,
   * one on a manual or instant clock at a fixed moment.
   */
  readonly epoch: number | 'now'
  /** Where the signed links of a hosted server lead, such as `http://storage:8190`; null for a listener of its own. */
  readonly signedBaseUrl: string | null
  /** Whether a signed link that comes with a key is refused. */
  readonly strictSignedLinks: boolean
  /** File with a certificate in PEM form, which makes the server speak HTTPS and WSS; it needs `tlsKey`. */
  readonly tlsCert: string | null
  /** File with the private key of the certificate. */
  readonly tlsKey: string | null
}

export type OptionName = keyof ServerOptions
