// A server as its clients meet it: one world on local; on hosted one for each account, so that none sees another's.

import type { Account } from './accounts.ts'
import type { Hashing } from './hashing.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export type Server = {
  readonly options: WorldOptions
  /** The time of all its worlds, in milliseconds since its start. */
  nowMs: number
  /** In the order of the accounts; local has one alone. */
  readonly worlds: readonly [World, ...World[]]
  /** The world of each socket that is open. */
  readonly sockets: Map<number, World>
}

/**
 * A new server. Every option has to be given; emulator/options.ts has the defaults. A hosted one needs `hashing`,
 * which is a module of its own so that nobody else waits for it to load.
 */
export function createServer(options: WorldOptions, hashing: Hashing | null = null): Server {
  if (options.deployment === 'local') {
    return { options, nowMs: 0, worlds: [createWorld(options)], sockets: new Map() }
  }
  if (hashing === null) throw new Error('A hosted server cannot be made without hashing.')
  const accounts: readonly Account[] = options.accounts
  const [first = null, ...others] = accounts
  const worlds = [
    createWorld(options, first, hashing),
    ...others.map((account) => createWorld(options, account, hashing)),
  ] as const
  return { options, nowMs: 0, worlds, sockets: new Map() }
}
