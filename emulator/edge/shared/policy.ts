// What a server that many teams share makes of its options: when its worlds expire, and their tokens.

import { base64Url } from '../../lib/base64.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import type { WorldPolicy, Worlds } from '../worlds.ts'
import { createMemoryBound } from './memory.ts'

/** When worlds expire. */
export type ExpiryClock = {
  readonly monotonicMs: () => number
  /** Calls back about this often, in milliseconds, until the returned function is called. */
  readonly every: (ms: number, look: () => Promise<void> | void) => () => void
}

const realExpiry: ExpiryClock = {
  monotonicMs: () => performance.now(),
  every: (ms, look) => {
    const timer = setInterval(() => void look(), ms)
    timer.unref()
    return () => clearInterval(timer)
  },
}

/** How often to look at the memory, in milliseconds. */
const MEMORY_LOOK_MS = 1000

/** How often to look for worlds that have expired: this part of the shorter limit, */
const LOOKS = 10
/** but not more often than that, in milliseconds. */
const MIN_LOOK_MS = 100

/** A policy, and what keeps it. */
type KeptPolicy = WorldPolicy & {
  readonly every: ExpiryClock['every']
  readonly start: (worlds: Pick<Worlds<never, never, never>, 'expire' | 'used'>) => void
  readonly stop: () => void
  /** How many worlds were closed since they were idle or old, and how often one lost something for memory. */
  readonly expired: () => number
  readonly trims: () => number
}

/**
 * The policy of these options.
 * @param warn takes the line about a world that has expired.
 */
export function policyOf(
  { unknownWorlds, maxWorlds, worldIdle, worldAge, memoryMib }: ServerOptions,
  warn: (line: string) => void,
  { monotonicMs, every }: ExpiryClock = realExpiry,
): KeptPolicy {
  const inMs = (seconds: number | null): number | null => seconds && seconds * 1000
  const [idleMs, ageMs] = [inMs(worldIdle), inMs(worldAge)]
  const shortest = Math.min(idleMs ?? Infinity, ageMs ?? Infinity)
  const bound =
    memoryMib === null ? null : createMemoryBound(memoryMib * 2 ** 20, warn, monotonicMs)
  let expired = 0
  const stops: (() => void)[] = []
  return {
    unknown: unknownWorlds,
    most: maxWorlds,
    idleMs,
    ageMs,
    monotonicMs,
    every,
    onExpired: (name, why) => {
      expired++
      warn(`The world ${name} is closed: ${why}.`)
    },
    expired: () => expired,
    trims: () => bound?.trims() ?? 0,
    start: ({ expire, used }) => {
      if (shortest < Infinity) stops.push(every(Math.max(shortest / LOOKS, MIN_LOOK_MS), expire))
      if (bound !== null) stops.push(every(MEMORY_LOOK_MS, () => bound.look(used())))
    },
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}

const TOKEN_BYTES = 32

/** The options of a world with its token, where worlds have tokens. Throws a usage error for an unusable token. */
export function tokenFor(options: ServerOptions, given: string | undefined): ServerOptions {
  if (!options.worldTokens) {
    if (given === undefined) return options
    throw usageError('A world has a token only on a server with --world-tokens.')
  }
  if (given !== undefined && !/^[\x21-\x7e]{16,200}$/.test(given))
    throw usageError('The token of a world has 16 to 200 printable characters, without blanks.')
  const token = given ?? randomToken()
  return Object.assign({}, options, { controlToken: token })
}

const randomToken = (): string => base64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))
