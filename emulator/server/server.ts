// Creates and forks servers: one world on local; on hosted one for each account, so that none sees another's data.

import { tiers } from '../../spec/server/access.ts'
import type { QuirkId } from '../../spec/truth/quirks.ts'
import { keyLimits } from '../../spec/v2/v2-access.ts'
import { generationLike } from '../../spec/truth/servers.ts'
import { numberSecrets, secretsOf } from '../journal/known-secrets.ts'
import { createBounded } from '../lib/bounded.ts'
import { copyOf } from '../lib/copy.ts'
import { createRandom, hash53 } from '../lib/random.ts'
import { createTimers } from '../lib/timers.ts'
import type { WorldOptions } from './state/options.ts'
import { changeScript } from './script.ts'
import { beginScenario } from './start.ts'
import type { ScriptState } from './state/scenario.ts'
import type { TimerTarget, Worker } from './state/runs.ts'
import type { Hosted, Server, ServerState } from './state/server.ts'
import type { HostedSetup, World, WorldSetup, WorldState } from './state/world.ts'
import { traitsOf } from './traits.ts'
import { createAssets } from './world/assets.ts'
import { addExampleFiles } from './world/files.ts'
import { createHeldBytes } from './world/upload-quota.ts'
import { createInstalls } from './world/installs.ts'
import { createUserFolder } from './world/user-folder.ts'

/**
 * Creates a server. Every option is required; options/complete.ts has the defaults. A hosted server needs the module
 * surfaces/index.ts, which a local one does not load.
 */
export function createServer(options: WorldOptions, hosted: Hosted | null = null): Server {
  const setups =
    options.deployment === 'local'
      ? [worldSetup(options, null, 0)]
      : hostedSetups(options, hosted).map((own, index) => worldSetup(options, own, index))
  const ownHosted = options.deployment === 'local' ? null : hosted
  const state = emptyState(options, setups, 0)
  const worlds = worldsOf(setups, state)
  const secrets = secretsOf(options)
  const server = { options, hosted: ownHosted, secrets, state, worlds, snapshots: new Map() }
  begin(server)
  return server
}

/** Returns a server to its start, at this time. */
export function resetServer(server: Server, nowMs: number): void {
  adopt(server, emptyState(server.options, setupsOf(server), nowMs))
  begin(server)
}

/** Replaces the state of a server, and with it its worlds. */
export function adopt(server: Server, state: ServerState): void {
  server.state = state
  server.worlds = worldsOf(setupsOf(server), state)
}

/**
 * A fork that continues from the state of this server, with its snapshots. From then on, neither affects the other.
 * @public
 */
export const forkServer = (server: Server): Server => {
  const { options, hosted, secrets, snapshots } = server
  const state = copyOf(server.state)
  const worlds = worldsOf(setupsOf(server), state)
  return { options, hosted, secrets, state, worlds, snapshots: new Map(snapshots) }
}

/** What a server has before its first input. */
function begin(server: Server): void {
  for (const world of server.worlds) addExampleFiles(world)
  beginScenario(server)
}

const setupsOf = ({ worlds }: Server): readonly WorldSetup[] => worlds.map(({ setup }) => setup)

function emptyState(
  options: WorldOptions,
  setups: readonly WorldSetup[],
  nowMs: number,
): ServerState {
  const timers = createTimers<TimerTarget>()
  const worlds = setups.map((setup) => worldState(setup, nowMs))
  const script = scriptState(options, nowMs)
  const state = {
    nowMs,
    timers,
    script,
    wire: null,
    worlds,
    sockets: new Map(),
    streams: new Map(),
    endedStreams: new Map(),
    downUntilMs: 0,
    isDown: false,
    exitCode: null,
  }
  changeScript(state, { load: options.script })
  return state
}

function worldsOf(setups: readonly WorldSetup[], state: ServerState): Server['worlds'] {
  const { timers, script } = state
  const [first, ...others] = setups.map((setup, index): World => {
    return { setup, state: state.worlds[index] as WorldState, timers, script, effects: [] }
  })
  if (first === undefined) throw new Error('A hosted server cannot be made without an account.')
  return [first, ...others]
}

/** The hosted part of the setup of each account's world. */
function hostedSetups(
  { accounts, signedLinks: links }: WorldOptions,
  hashing: Hosted | null,
): readonly HostedSetup[] {
  if (hashing === null || links === null)
    throw new Error('A hosted server cannot be made without its parts and its links.')
  return accounts.map((account) => ({ account, hashing, links }))
}

const noQuirks: ReadonlySet<QuirkId> = new Set()

const worldSetup = (
  options: WorldOptions,
  hosted: HostedSetup | null,
  index: number,
): WorldSetup => {
  const generation = generationLike(options.like)
  return {
    index,
    options,
    hosted,
    quirks: options.quirks.length === 0 ? noQuirks : new Set(options.quirks),
    generation,
    traits: traitsOf(options.deployment, generation, options.quirks),
    spell: numberSecrets(options),
    pictureSeed: hash53(`pictures of ${options.seed}`),
  }
}

/** An empty script. */
function scriptState({ seed }: WorldOptions, startedMs: number): ScriptState {
  const random = createRandom(`faults of ${seed}`)
  return {
    runs: [],
    nodes: [],
    faults: [],
    answers: [],
    messages: [],
    startedMs,
    random,
    lastFault: 0,
  }
}

const createWorker = (index: number): Worker => ({
  index,
  running: null,
  timer: null,
  interrupted: false,
  dropCache: false,
  dead: false,
  cache: new Map(),
})

/** The initial state of a world. */
function worldState({ options, hosted }: WorldSetup, nowMs: number): WorldState {
  const workers = hosted === null ? 1 : tiers[hosted.account.tier].runsAtATime
  return {
    nowMs,
    random: createRandom(
      hosted === null ? options.seed : `${options.seed} of ${hosted.account.user}`,
    ),
    counter: 0,
    nextSerial: 0,
    startedCount: 0,
    pending: [],
    pendingById: new Map(),
    pendingCount: 0,
    pendingBytes: 0,
    workers: Array.from({ length: workers }, (_, index) => createWorker(index)),
    tempLetters: createBounded(options.fileLimit),
    history: createBounded(options.historyLimit),
    historyLength: 0,
    hasMissedEntries: false,
    lagUntilMs: 0,
    files: createBounded(options.fileLimit),
    held: createHeldBytes(),
    // Keeps a few for each file; older ones belong to removed files.
    counters: createBounded(4 * options.fileLimit),
    installs: createInstalls(),
    memory: { models: new Set(), isUnloading: false },
    assets: createAssets(options.fileLimit),
    userFolder: createUserFolder(options.epochMs),
    userNames: new Set(),
    log: { lines: [], subscribers: createBounded(1000) },
    sockets: new Map(),
    socketByClient: new Map(),
    chatter: { timers: [], sent: 0 },
    balance: hosted?.account.balance ?? 0,
    deletedJobs: createBounded(options.historyLimit),
    v2: {
      keys: createBounded(keyLimits.kept),
      labels: createBounded(2 * options.historyLimit),
      expired: createBounded(options.historyLimit),
      assets: createBounded(2 * options.fileLimit),
      deletedAssets: createBounded(options.fileLimit),
    },
    partner: {
      tasks: createBounded(options.historyLimit),
      uploads: createBounded(options.fileLimit),
      stored: createBounded(options.fileLimit),
      charges: createBounded(options.historyLimit),
    },
  }
}
