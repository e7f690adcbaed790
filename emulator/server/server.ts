// A server as its clients meet it: one world on local; on hosted one for each account, so that none sees another's.

import type { Account } from './hosted/access.ts'
import type * as HostedParts from './hosted/index.ts'
import { createHostedState, createWorld, type World, type WorldOptions } from './world/world.ts'

/** What a hosted server does otherwise than a local one. */
export type Hosted = typeof HostedParts

export type Server = {
  readonly options: WorldOptions
  /** Null on local. */
  readonly hosted: Hosted | null
  /** The time of all its worlds, in milliseconds since its start. */
  nowMs: number
  /** In the order of the accounts; local has one alone. */
  readonly worlds: readonly [World, ...World[]]
  /** The world of each socket that is open. */
  readonly sockets: Map<number, World>
}

/**
 * A new server. Every option has to be given; emulator/options.ts has the defaults. A hosted one needs
 * the module hosted-parts.ts, for which nobody else waits.
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
