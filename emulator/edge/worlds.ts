// The worlds at one address: the one at the root, and others below /w/NAME, which are created, forked and closed while it
// runs. They share what listens there, and nothing that changes.

import { limits } from '../../spec/limits.ts'
import type { UnknownWorlds } from '../../spec/shared.ts'
import { conflictError, usageError } from '../options/usage.ts'
import type { StateSizes } from '../server/memory.ts'
import type { Host } from './host.ts'

/** What every edge of a world has. */
type Edge = { readonly host: Pick<Host<never, never, never>, 'changeWorld'> }

/** A world at an address: its edge S, and its handle H. */
export type Running<S, H> = {
  /** Its edge, connected if it is not. */
  readonly served: () => S
  /** Creates a handle: nobody may need one, and there can be thousands of worlds. */
  readonly handle: () => H
  /** Stops its clock, and closes its connections. */
  readonly stop: () => void | Promise<void>
}

/** Approximate sizes in bytes: of the state of a world, and of its journal. */
export type Sizes = StateSizes & { readonly journal: number }

/** The size of all of it. */
export const totalOf = ({ history, journal, uploads, waiting }: Sizes): number =>
  history + journal + uploads + waiting

/** How much there is in a world. */
export type WorldCounts = {
  /** Those in queue and history. */
  readonly runs: number
  /** Those of them that wait. */
  readonly waiting: number
  readonly sockets: number
  /** Whether it refuses bodies of requests, since it stores more than its share of the memory. */
  readonly isFull: boolean
}

/** A world in a list. */
export type WorldUsage = {
  readonly ageMs: number
  readonly idleMs: number
  /** What it takes of memory, about. */
  readonly bytes: number
  readonly runs: number
  readonly sockets: number
}

/** What bounds the memory of a world. */
export type WorldMemory = {
  readonly sizes: () => Sizes
  /** Drops the oldest part of history and journal, from 0 to 1. */
  readonly trim: (part: number) => void
  readonly counts: () => WorldCounts
  /** Whether bodies of requests are refused from now on. */
  readonly setFull: (isFull: boolean) => void
}

/** A world, and since when it exists and nobody has used it, in milliseconds of the clock of the policy. */
export type UsedWorld = {
  /** Null for the one at the root. */
  readonly name: string | null
  readonly createdMs: number
  readonly usedMs: number
  readonly memory: WorldMemory
}

/** How an edge serves a world. */
export type World<S, H, O> = {
  readonly connect: (running: Running<S, H>) => S
  /** Disconnects its edge unless something is under way; returns whether it did. Absent where an edge always stays. */
  readonly disconnect?: (edge: S) => boolean
  /** Stops everything; its edge may be disconnected. */
  readonly stop: (edge: S | undefined) => void | Promise<void>
  readonly handle: (methods: WorldMethods<H, O>, running: Running<S, H>) => H
  /** Whether a client is connected. */
  readonly isInUse?: (edge: S) => boolean
  /** Absent where nothing bounds it. */
  readonly memory?: WorldMemory
  /** Adds a world with its state. */
  readonly fork: (name: string, edge: S) => Running<S, H>
}

/** The methods of a handle that concern its address. */
export type WorldMethods<H, O> = {
  readonly name: string | null
  readonly fork: (name?: string) => Promise<H>
  readonly world: (options?: O) => Promise<H>
  readonly worlds: () => readonly H[]
  readonly close: () => Promise<void>
}

/** The world that a target is for. */
export type FoundWorld<S> = {
  /** Its edge; that of the root for a name without a world. */
  readonly world: S
  /** The target without the path below which that world is served. */
  readonly target: string
  /** The name, if no world has it and that of the root is not to answer. */
  readonly missing: string | null
}

export type Worlds<S, H, O> = {
  /** Adds a world below a name, or at the root; one that was saved has an age. */
  readonly add: (name: string | null, world: World<S, H, O>, ageMs?: number) => Running<S, H>
  readonly find: (target: string) => FoundWorld<S>
  /** The edge of a world, which is created unless it exists. */
  readonly ensure: (name: string) => Promise<S>
  /** How many named worlds there are. */
  readonly count: () => number
  /** Age and size of a named world, if they are known. */
  readonly usage: (name: string | null) => WorldUsage | undefined
  /** How many were ever created. */
  readonly created: () => number
  /** The worlds whose memory can be bounded. */
  readonly used: () => readonly UsedWorld[]
  /** Closes the worlds that nobody has used for too long, and those that are too old. */
  readonly expire: () => Promise<void>
}

/** What bounds the worlds at an address. */
export type WorldPolicy = {
  readonly unknown: UnknownWorlds
  readonly most: number
  /** After how long without a client a world is closed, and after how long in any case, in milliseconds; null for never. */
  readonly idleMs: number | null
  readonly ageMs: number | null
  readonly monotonicMs: () => number
  /** Says which world is closed, and why. */
  readonly onExpired: (name: string, why: string) => void
}

/** That of addresses which nobody shares. */
const noPolicy: WorldPolicy = {
  unknown: 'root',
  most: limits.worlds.value,
  idleMs: null,
  ageMs: null,
  monotonicMs: () => 0,
  onExpired: () => undefined,
}

/** What the worlds at an address share. */
export type Address<H, O> = {
  readonly create: (name: string, options: Omit<O, 'name'>) => Promise<H>
  /** A named world has been closed, and no other one has its name yet. */
  readonly removed?: (name: string) => Promise<void>
  /** Stops listening and closes all connections. */
  readonly close: () => Promise<unknown>
}

/** The start of the paths of named worlds. */
const PREFIX = '/w/'
const namePattern = /^[\w-][\w.-]{0,63}$/

export const isWorldName = (name: string): boolean => namePattern.test(name)

/** A name that a world can have; throws a usage error for another one. */
export function worldName(asked: unknown): string {
  // A program without types can pass a number.
  if (typeof asked === 'string' && isWorldName(asked)) return asked
  throw usageError('The name of a world has letters, digits, dots, dashes and underscores.')
}

/** The path below which a world is served; empty for the one at the root. */
export const pathOf = (name: string | null): string => (name === null ? '' : PREFIX + name)

/** The world whose path a target begins with, and the target without that path. */
export function splitTarget(target: string): { name: string; target: string } | null {
  if (!target.startsWith(PREFIX)) return null
  const [, name = '', rest = ''] = /^\/w\/([^/?]*)(.*)$/s.exec(target) ?? []
  return { name, target: rest.startsWith('/') ? rest : `/${rest}` }
}

/** How many named worlds keep their edges while nothing happens: an edge takes as much memory as a new world. */
const MAX_AWAKE = 256
/** How many of the others to look at for one that can sleep. */
const MAX_LOOKS = 16

export function createWorlds<S extends Edge, H, O extends { readonly name?: string }>(
  { create, removed, close }: Address<H, O>,
  policy: WorldPolicy = noPolicy,
): Worlds<S, H, O> {
  const named = new Map<string, Named<S, H>>()
  /** How to disconnect the named worlds with an edge, those connected last at the end. */
  const awake = new Map<Running<S, H>, () => boolean>()
  let main: Running<S, H> | undefined
  let mainMemory: WorldMemory | undefined
  let lastNumber = 0
  let created = 0
  const startedMs = policy.monotonicMs()

  const nextName = (): string => {
    do lastNumber++
    while (named.has(`w${lastNumber}`))
    return `w${lastNumber}`
  }
  const requireFree = (name: string): void => {
    if (named.has(name)) throw conflictError(`The world ${name} already exists. Close it first.`)
  }
  /** A name for a new world: this one, or a new one. Throws a usage error if it cannot have it. */
  const nameFor = (asked: unknown = nextName()): string => {
    if (named.size >= policy.most)
      throw conflictError(`This address has at most ${policy.most} worlds. Close some of them.`)
    const name = worldName(asked)
    requireFree(name)
    return name
  }
  /** When too many worlds are awake, those that were connected first sleep if they can. */
  const stayAwake = (world: Running<S, H>, disconnect: () => boolean): void => {
    awake.set(world, disconnect)
    if (awake.size <= MAX_AWAKE) return
    let looks = 0
    for (const [one, sleep] of awake) {
      if (++looks > MAX_LOOKS) return
      awake.delete(one)
      if (one !== world && sleep()) return
      awake.set(one, sleep)
    }
  }

  const add: Worlds<S, H, O>['add'] = (name, world, ageMs = 0) => {
    let edge: S | undefined
    const sleep = (): boolean => {
      if (edge === undefined || !world.disconnect?.(edge)) return false
      edge = undefined
      return true
    }
    const served = (): S => {
      if (edge !== undefined) return edge
      edge = world.connect(running)
      if (name !== null && world.disconnect !== undefined) stayAwake(running, sleep)
      return edge
    }
    const stop = (): void | Promise<void> => {
      awake.delete(running)
      return world.stop(edge)
    }
    const methods: WorldMethods<H, O> = {
      name,
      fork: async (asked) => {
        const forked = world.fork(nameFor(asked), served())
        forked.served().host.changeWorld({ do: 'fork' })
        return forked.handle()
      },
      world: async (options) => {
        const { name: asked, ...own } = options ?? ({} as O)
        return create(nameFor(asked), own)
      },
      worlds: () => Array.from(named.values(), ({ running: one }) => one.handle()),
      close: async () => {
        const stopped = [Promise.resolve(stop())]
        if (name !== null) {
          named.delete(name)
          await removed?.(name)
        } else {
          // All of them stand still before the address is closed.
          for (const one of named.values()) stopped.push(Promise.resolve(one.running.stop()))
          await close()
        }
        await Promise.all(stopped)
      },
    }
    const running: Running<S, H> = { served, handle: () => world.handle(methods, running), stop }
    if (name === null) {
      main = running
      mainMemory = world.memory
    } else {
      // Another one can have come first while this one was created.
      requireFree(name)
      created++
      const nowMs = policy.monotonicMs()
      named.set(name, {
        running,
        close: methods.close,
        isInUse: () => edge !== undefined && world.isInUse?.(edge) === true,
        memory: world.memory,
        createdMs: nowMs - ageMs,
        usedMs: nowMs,
      })
    }
    return running
  }
  const find: Worlds<S, H, O>['find'] = (target) => {
    const below = named.size === 0 && policy.unknown === 'root' ? null : splitTarget(target)
    const found = below && named.get(below.name)
    if (below && found) {
      found.usedMs = policy.monotonicMs()
      return { world: found.running.served(), target: below.target, missing: null }
    }
    const world = (main as Running<S, H>).served()
    return below === null || policy.unknown === 'root'
      ? { world, target, missing: null }
      : { world, target: below.target, missing: below.name }
  }
  /** The worlds that are being created on demand. */
  const coming = new Map<string, Promise<unknown>>()
  const ensure: Worlds<S, H, O>['ensure'] = async (name) => {
    if (!named.has(name)) {
      const created = coming.get(name) ?? create(nameFor(name), {} as Omit<O, 'name'>)
      coming.set(name, created)
      await created.finally(() => coming.delete(name))
    }
    return (named.get(name) as Named<S, H>).running.served()
  }
  const expire = async (): Promise<void> => {
    const { idleMs, ageMs, onExpired } = policy
    const nowMs = policy.monotonicMs()
    const closing: Promise<void>[] = []
    for (const [name, one] of named) {
      if (idleMs !== null && one.isInUse()) one.usedMs = nowMs
      const isOld = ageMs !== null && nowMs - one.createdMs >= ageMs
      const isIdle = idleMs !== null && nowMs - one.usedMs >= idleMs
      if (!isOld && !isIdle) continue
      const seconds = ((isOld ? ageMs : idleMs) ?? 0) / 1000
      onExpired(name, isOld ? `it is ${seconds} s old` : `nobody has used it for ${seconds} s`)
      closing.push(one.close())
    }
    await Promise.all(closing)
  }
  const used = (): readonly UsedWorld[] => {
    const nowMs = policy.monotonicMs()
    const found: UsedWorld[] = []
    if (mainMemory !== undefined)
      found.push({ name: null, createdMs: startedMs, usedMs: nowMs, memory: mainMemory })
    for (const [name, { memory, createdMs, usedMs, isInUse }] of named)
      if (memory !== undefined)
        found.push({ name, createdMs, usedMs: isInUse() ? nowMs : usedMs, memory })
    return found
  }
  const usage: Worlds<S, H, O>['usage'] = (name) => {
    const one = name === null ? undefined : named.get(name)
    if (one?.memory === undefined) return undefined
    const nowMs = policy.monotonicMs()
    const { runs, sockets } = one.memory.counts()
    return {
      ageMs: Math.round(nowMs - one.createdMs),
      idleMs: one.isInUse() ? 0 : Math.round(nowMs - one.usedMs),
      bytes: totalOf(one.memory.sizes()),
      runs,
      sockets,
    }
  }
  return {
    add,
    find,
    ensure,
    usage,
    count: () => named.size,
    created: () => created,
    used,
    expire,
  }
}

/** A named world, and what its expiry needs. */
type Named<S, H> = {
  readonly running: Running<S, H>
  readonly close: () => Promise<void>
  readonly isInUse: () => boolean
  readonly memory: WorldMemory | undefined
  /** When it was created and last asked, in milliseconds of a monotonic clock. */
  readonly createdMs: number
  usedMs: number
}

/** Throws a usage error for an option that belongs to the listener, which all worlds at an address share. */
export function requireOwnOptions(own: object, shared: readonly string[]): void {
  const foreign = shared.find((name) => Object.hasOwn(own, name))
  if (foreign !== undefined)
    throw usageError(`All worlds at an address share ${foreign}. Start another server for that.`)
}
