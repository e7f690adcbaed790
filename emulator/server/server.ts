// A server as its clients meet it: one world on local; on hosted one for each account, so that none sees another's.

import { tiers } from '../../spec/server/access.ts'
import { numberSecrets } from '../journal/known-secrets.ts'
import { createBounded } from '../lib/bounded.ts'
import { createRandom, hash53 } from '../lib/random.ts'
import type { Account, WorldOptions } from './state/options.ts'
import type { Worker } from './state/runs.ts'
import type { Hosted, Server } from './state/server.ts'
import type { HostedState, World } from './state/world.ts'
import { addExampleFiles } from './world/files.ts'
import { createHeldBytes } from './world/held-bytes.ts'
import { createInstalls } from './world/installs.ts'
import { createUserFolder } from './world/user-folder.ts'

/**
 * A new server. Every option has to be given; emulator/options.ts has the defaults. A hosted one needs
 * the module hosted/index.ts, for which nobody else waits.
 */
export function createServer(options: WorldOptions, hosted: Hosted | null = null): Server {
  if (options.deployment === 'local') {
    return { options, hosted: null, nowMs: 0, worlds: [createWorld(options)], sockets: new Map() }
  }
  const { accounts, signedLinks: links } = options
  if (hosted === null || links === null)
    throw new Error('A hosted server cannot be made without its parts and its links.')
  const worldOf = (account: Account): World =>
    createWorld(options, createHostedState(options, { account, hashing: hosted, links }))
  const [first, ...others] = accounts
  if (first === undefined) throw new Error('A hosted server cannot be made without an account.')
  const worlds = [worldOf(first), ...others.map(worldOf)] as const
  return { options, hosted, nowMs: 0, worlds, sockets: new Map() }
}

const createWorker = (): Worker => ({
  running: null,
  dueMs: undefined,
  interrupted: false,
  dropCache: false,
  dead: false,
  cache: new Map(),
})

/** What a world of this account has on hosted at first. */
const createHostedState = (
  { historyLimit }: WorldOptions,
  known: Pick<HostedState, 'account' | 'hashing' | 'links'>,
): HostedState => ({
  ...known,
  balance: known.account.balance,
  deletedJobs: createBounded(historyLimit),
})

/** A new world. Every option has to be given; emulator/options.ts has the defaults. */
function createWorld(options: WorldOptions, hosted: HostedState | null = null): World {
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
    held: createHeldBytes(),
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
