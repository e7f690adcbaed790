// The options of a server: their types and defaults.

import { limits } from '../../spec/limits.ts'
import type { UnknownWorlds } from '../../spec/shared.ts'
import { defaultAccounts } from './accounts.ts'
import type { NodeRule } from '../../spec/scenario/nodes.ts'
import { noScenario, type Scenario, type GivenScenario } from './scenario.ts'
import type { Account, ChosenOptions } from '../server/state/options.ts'

/** How the server's time passes: with the wall clock, N times as fast, only through the clock handle, or without waiting. */
export type Clock = 'real' | 'manual' | 'instant' | `x${number}`

/** Node types by name, in the form of `GET /object_info`. */
export type NodeTypes = Readonly<Record<string, unknown>>

/** The complete options of a server. */
export type ServerOptions = ChosenOptions & {
  /** TCP port; 0 picks a free one. */
  readonly port: number
  /** Address to listen on. */
  readonly host: string
  readonly clock: Clock
  /** Duration of each node and each step, in milliseconds of the server's time. */
  readonly pace: number
  /** Replaces the built-in node types: files with the `GET /object_info` of a server, or their content. */
  readonly objectInfo: readonly (string | NodeTypes)[]
  /** Additional node types in the same form; they override others of the same name. */
  readonly nodes: readonly (string | NodeTypes)[]
  /** Workflows that run: the world gets the node types, models and input files that they need. Files, or their content. */
  readonly for: readonly (string | object)[]
  /** Whether values that these workflows use are added to the combos of known nodes that do not list them. */
  readonly values: boolean
  /** Node rules that make nodes fail. They precede those of the scenario. */
  readonly failures: readonly NodeRule[]
  /** The script of the server: its start, rules for runs and nodes, faults. */
  readonly scenario: Scenario
  /** File that records all inputs and effects; null keeps only the latest, in memory. */
  readonly journal: string | null
  /** Whether to replace an existing journal file. */
  readonly overwrite: boolean
  /** Whether each reply has a header with the ids of the rules behind it. */
  readonly explain: boolean
  /** Ids of quirks to switch on. */
  readonly quirk: readonly string[]
  /** Ids of quirks to switch off, although the known server has them. */
  readonly noQuirk: readonly string[]
  /** Whether the server has the control API below /_flowdouble/. */
  readonly control: boolean
  /** Bearer token for the paths below /_flowdouble/ from other machines; null rejects them. */
  readonly controlToken: string | null
  /** Whether many teams share the server: it changes the defaults of the options below, and of `preview`. */
  readonly shared: boolean
  /** Base of the addresses of worlds, such as `https://flows.example`; null for that of the listener. */
  readonly publicUrl: string | null
  /** What a path below the name of no world means. */
  readonly unknownWorlds: UnknownWorlds
  /** Whether each new world has a token, which alone opens its control paths; requires `controlToken`. */
  readonly worldTokens: boolean
  /** How many worlds there are below `/w/NAME` at most. */
  readonly maxWorlds: number
  /** After how many seconds without a client, and in any case, such a world is closed; null for never. */
  readonly worldIdle: number | null
  readonly worldAge: number | null
  /** How many MiB all worlds take together, about, before the oldest of their histories and journals goes; null for any. */
  readonly memoryMib: number | null
  /** How many MiB of uploads a world stores at most, and as many of waiting workflows; of a hosted one, each account. */
  readonly worldMib: number
  /** How many runs of a world wait at most; of a hosted one, of each account. Null for any number. */
  readonly worldRuns: number | null
  /** The folder in which worlds are saved and found again; null for none. */
  readonly state: string | null
  /** How often those that have changed are saved, in seconds. */
  readonly stateEvery: number
  /** Largest request body in MiB; null for the default of 100. */
  readonly maxUploadSize: number | null
  /** Whether the server compresses messages for sockets that offer it. */
  readonly wsCompress: boolean
  /**
   * Start of the server's time: milliseconds since 1970, or `now`. By default a real or scaled clock starts now, and a
   * manual or instant clock at a fixed moment.
   */
  readonly epoch: number | 'now'
  /** Folder with the files of a front end, which `/` shows; null for none. */
  readonly webRoot: string | null
  /** Folder with workflow templates for a front end, served below /templates; null for none. */
  readonly templates: string | null
  /** Base of the signed links of a hosted server, such as `http://storage:8190`; null opens a listener for them. */
  readonly signedBaseUrl: string | null
  /** Whether the server rejects a signed link that is requested with a key. */
  readonly strictSignedLinks: boolean
  /** `auto` creates a certificate at the start (its authority is `ca` of the server); null uses `tlsCert`, or no TLS. */
  readonly tls: 'auto' | null
  /** File with a certificate in PEM form, for HTTPS and WSS; requires `tlsKey`. */
  readonly tlsCert: string | null
  /** File with the private key of the certificate. */
  readonly tlsKey: string | null
}

export type OptionName = keyof ServerOptions

/** An account that a caller passes: all but the name and the keys have a default. */
export type AccountInput = Pick<Account, 'user' | 'keys'> & Partial<Account>

/** Node types that a caller passes: a file, the types themselves, or several of either. */
type NodeTypesInput = string | NodeTypes | readonly (string | NodeTypes)[] | null

/** Options that a caller passes. Each has a default. */
export type ServerOptionsInput = Partial<
  Omit<ServerOptions, 'accounts' | 'seed' | 'objectInfo' | 'nodes' | 'for' | 'scenario'>
> & {
  readonly accounts?: readonly AccountInput[]
  /** A number can also be passed as text. */
  readonly seed?: string | number
  readonly objectInfo?: NodeTypesInput
  readonly nodes?: NodeTypesInput
  /** A workflow in API format, a file with one, or several of either. */
  readonly for?: string | object | readonly (string | object)[] | null
  /** A scenario: a file, the name of one that comes with the package, or its content; several are merged in order. */
  readonly scenario?: string | GivenScenario | readonly (string | GivenScenario)[]
}

/** The default start time of manual and instant clocks: 2026-01-01, 00:00 UTC. */
const FIXED_EPOCH_MS = 1767225600000

/** The default epoch for a clock. */
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
  for: [],
  values: false,
  models: 'listed',
  unknownNodes: 'refuse',
  scenario: noScenario,
  journal: null,
  overwrite: false,
  explain: false,
  quirk: [],
  noQuirk: [],
  cors: null,
  token: null,
  control: true,
  controlToken: null,
  shared: false,
  publicUrl: null,
  unknownWorlds: 'root',
  worldTokens: false,
  maxWorlds: limits.worlds.value,
  worldIdle: null,
  worldAge: null,
  memoryMib: null,
  worldMib: limits.uploads.value / 2 ** 20,
  worldRuns: null,
  state: null,
  stateEvery: 30,
  maxUploadSize: null,
  wsCompress: false,
  manager: false,
  assets: false,
  assetHashing: false,
  featureFlag: [],
  epoch: 'now',
  webRoot: null,
  templates: null,
  signedBaseUrl: null,
  strictSignedLinks: false,
  tls: null,
  tlsCert: null,
  tlsKey: null,
}
