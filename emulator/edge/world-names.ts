// The names of the worlds at one address, and which of them a request is for: the one at the root, or one below /w/NAME.

import { limits } from '../../spec/limits.ts'
import { conflictError, usageError } from '../options/usage.ts'

/** A world, and the target of a request without the path below which the world is served. */
export type FoundWorld<W> = { readonly world: W; readonly target: string }

export type NamedWorlds<W> = {
  /** The world of a target, by default this one. */
  readonly find: (target: string, main: W) => FoundWorld<W>
  /** A name for a new world: this one, or a new one. Throws a usage error if it cannot have it. */
  readonly nameFor: (asked: unknown) => string
  readonly add: (name: string, world: W) => void
  readonly remove: (name: string) => void
  /** In the order in which they were added. */
  readonly all: () => readonly W[]
}

/** The start of the paths of named worlds. */
const PREFIX = '/w/'
const namePattern = /^[\w-][\w.-]{0,63}$/

/** The path below which a world is served; empty for the one at the root. */
export const pathOf = (name: string | null): string => (name === null ? '' : PREFIX + name)

export function createNames<W>(): NamedWorlds<W> {
  const worlds = new Map<string, W>()
  let last = 0
  const nextName = (): string => {
    do last++
    while (worlds.has(`w${last}`))
    return `w${last}`
  }
  const requireFree = (name: string): void => {
    if (worlds.has(name)) throw conflictError(`The world ${name} already exists. Close it first.`)
  }
  const find: NamedWorlds<W>['find'] = (target, main) => {
    if (worlds.size === 0 || !target.startsWith(PREFIX)) return { world: main, target }
    const [, name = '', rest = ''] = /^\/w\/([^/?]*)(.*)$/s.exec(target) ?? []
    const world = worlds.get(name)
    if (world === undefined) return { world: main, target }
    return { world, target: rest.startsWith('/') ? rest : `/${rest}` }
  }
  const nameFor: NamedWorlds<W>['nameFor'] = (asked = nextName()) => {
    if (worlds.size >= limits.worlds.value)
      throw conflictError(
        `An address has at most ${limits.worlds.value} worlds. Close some of them.`,
      )
    // A program without types can pass a number.
    if (typeof asked !== 'string' || !namePattern.test(asked))
      throw usageError('The name of a world has letters, digits, dots, dashes and underscores.')
    requireFree(asked)
    return asked
  }
  return {
    find,
    nameFor,
    add: (name, world) => {
      // Another one can have come first while this one was created.
      requireFree(name)
      worlds.set(name, world)
    },
    remove: (name) => void worlds.delete(name),
    all: () => [...worlds.values()],
  }
}

/** Throws a usage error for an option that belongs to the listener, which all worlds at an address share. */
export function requireOwnOptions(own: object, shared: readonly string[]): void {
  const foreign = shared.find((name) => Object.hasOwn(own, name))
  if (foreign !== undefined)
    throw usageError(`All worlds at an address share ${foreign}. Start another server for that.`)
}
