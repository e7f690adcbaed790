// The options of a server: what they are, and what they are by default.

import type { Deployment } from '../../spec/language.ts'
import { defaultAccounts } from './accounts.ts'
import type { Account, ScenarioFailure } from '../server/state/options.ts'

/** How the world's time passes: with the wall clock, so many times as fast, only when told to, or at once. */
export type Clock = 'real' | 'manual' | 'instant' | `x${number}`

/** Node types by name, in the form of `GET /object_info`. */
export type NodeTypes = Readonly<Record<string, unknown>>

/** Options of a server, complete. */
export type ServerOptions = {
  /** Which of the two forms of the server it is. */
  readonly deployment: Deployment
  /** The known server as which it behaves; null for what the description states. */
  readonly like: string | null
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
  /** Milliseconds of the world's time between the answer to a submit and the first message of its run. */
  readonly startDelayMs: number
  /** Format of previews, or none. */
  readonly preview: 'jpeg' | 'png' | 'none'
  /** Which results runs reuse: those of the last graph, the latest hundred, or none. */
  readonly cache: 'classic' | 'lru' | 'none'
  /** Node types in the place of the built-in ones: files with the `GET /object_info` of a server, or what it holds. */
  readonly objectInfo: readonly (string | NodeTypes)[]
  /** Further node types, in the same form; they win over others of their name. */
  readonly nodes: readonly (string | NodeTypes)[]
  readonly models: 'listed' | 'any'
  readonly unknownNodes: 'refuse' | 'accept'
  /** File that keeps all inputs and effects; null keeps the latest in memory only. */
  readonly journal: string | null
  /** Whether a journal file that is there already is replaced. */
  readonly overwrite: boolean
  /** Ids of quirks that are switched on. */
  readonly quirk: readonly string[]
  /** Ids of quirks that are switched off, although the named server has them. */
  readonly noQuirk: readonly string[]
  /** Origin that replies name in CORS mode, or `*`; null checks the origin of requests instead. */
  readonly cors: string | null
  /** Bearer token that every request needs; null lets everyone in. */
  readonly token: string | null
  /** What callers from elsewhere need as a bearer token to use the paths below /_flowdouble/; null keeps them out. */
  readonly controlToken: string | null
  /** Largest request body in MiB; null for the usual 100. */
  readonly maxUploadSize: number | null
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
  /** `auto` makes a certificate at the start, which `ca` of the server vouches for; null for that of `tlsCert`, or none. */
  readonly tls: 'auto' | null
  /** File with a certificate in PEM form, which makes the server speak HTTPS and WSS; it needs `tlsKey`. */
  readonly tlsCert: string | null
  /** File with the private key of the certificate. */
  readonly tlsKey: string | null
}

export type OptionName = keyof ServerOptions

/** An account as a caller gives it: all but its name and its keys has a default. */
export type AccountGiven = Pick<Account, 'user' | 'keys'> & Partial<Account>

/** Node types as a caller gives them: a file, the types themselves, or several of either. */
type NodeTypesGiven = string | NodeTypes | readonly (string | NodeTypes)[] | null

/** Options of a server as a caller gives them. Each has a default. */
export type ServerOptionsGiven = Partial<
  Omit<ServerOptions, 'accounts' | 'seed' | 'objectInfo' | 'nodes'>
> & {
  readonly accounts?: readonly AccountGiven[]
  /** A number is as good as its text. */
  readonly seed?: string | number
  readonly objectInfo?: NodeTypesGiven
  readonly nodes?: NodeTypesGiven
}

/** The moment at which worlds start whose time does not pass by itself: 2026-01-01, 00:00 UTC. */
const FIXED_EPOCH_MS = 1767225600000

/** When a world begins that is not told when. */
export const epochFor = (clock: Clock): ServerOptions['epoch'] =>
  clock === 'manual' || clock === 'instant' ? FIXED_EPOCH_MS : 'now'

export const defaults: ServerOptions = {
  deployment: 'local',
  like: null,
  accounts: defaultAccounts,
  failures: [],
  port: 8188,
  host: '127.0.0.1',
  seed: '0',
  clock: 'real',
  pace: 5,
  startDelayMs: 25,
  preview: 'jpeg',
  cache: 'classic',
  objectInfo: [],
  nodes: [],
  models: 'listed',
  unknownNodes: 'refuse',
  journal: null,
  overwrite: false,
  quirk: [],
  noQuirk: [],
  cors: null,
  token: null,
  controlToken: null,
  maxUploadSize: null,
  wsCompress: false,
  manager: false,
  epoch: 'now',
  signedBaseUrl: null,
  strictSignedLinks: false,
  tls: null,
  tlsCert: null,
  tlsKey: null,
}
