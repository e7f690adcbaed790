// A map with a maximum size that drops its oldest entries: it limits everything that grows in a world.

/** Entries in the order in which their keys were first stored. Replacing an entry keeps its place. */
export type Bounded<T> = {
  readonly limit: number
  /** Changed by the functions of this file alone: all that are empty from the start share one map. */
  entries: Map<string, Held<T>>
  /** Keys in order of arrival with their serials; stale ones are skipped. Starts at `head`. */
  arrivals: { key: string; serial: number }[]
  head: number
  nextSerial: number
}

type Held<T> = { readonly value: T; readonly serial: number }

/** A world has a dozen of these, most of which stay empty. */
const noEntries = new Map<string, never>()
const noArrivals: never[] = []

export const createBounded = <T>(limit: number): Bounded<T> => ({
  limit,
  entries: noEntries,
  arrivals: noArrivals,
  head: 0,
  nextSerial: 0,
})

/**
 * Stores an entry, and returns the entries that it displaces: the replaced one, or the oldest ones beyond the limit,
 * each dropped in constant time.
 */
export function put<T>(bounded: Bounded<T>, key: string, value: T): readonly T[] {
  const known = bounded.entries.get(key)
  if (known !== undefined) {
    bounded.entries.set(key, { value, serial: known.serial })
    return [known.value]
  }
  const serial = bounded.nextSerial++
  // Not compared with the shared one: a copy of a world has a copy of it.
  if (bounded.entries.size === 0) bounded.entries = new Map()
  if (bounded.arrivals.length === 0) bounded.arrivals = []
  bounded.entries.set(key, { value, serial })
  bounded.arrivals.push({ key, serial })
  const dropped: T[] = []
  while (bounded.entries.size > bounded.limit) dropOldest(bounded, dropped)
  // Removed entries leave stale arrivals behind; remove these when they outnumber the entries.
  if (bounded.arrivals.length - bounded.head > 2 * bounded.entries.size + 1024) {
    bounded.arrivals = Array.from(bounded.entries, ([held, entry]) => ({
      key: held,
      serial: entry.serial,
    }))
    bounded.head = 0
  }
  return dropped
}

export const get = <T>(bounded: Bounded<T>, key: string): T | undefined =>
  bounded.entries.get(key)?.value

function dropOldest<T>(bounded: Bounded<T>, dropped: T[]): void {
  const oldest = bounded.arrivals[bounded.head++]
  if (oldest === undefined) return
  const held = bounded.entries.get(oldest.key)
  if (held?.serial === oldest.serial) {
    bounded.entries.delete(oldest.key)
    dropped.push(held.value)
  }
  // Trim the consumed front now and then: finding the first key of a Map skips all holes that deletions left.
  if (bounded.head > 1024 && bounded.head * 2 > bounded.arrivals.length) {
    bounded.arrivals = bounded.arrivals.slice(bounded.head)
    bounded.head = 0
  }
}

/** Drops and returns the oldest entry; undefined if empty. */
export function takeOldest<T>(bounded: Bounded<T>): T | undefined {
  const dropped: T[] = []
  while (bounded.entries.size > 0 && dropped.length === 0) dropOldest(bounded, dropped)
  return dropped[0]
}

/** Removes an entry; returns whether it existed. */
export const remove = <T>(bounded: Bounded<T>, key: string): boolean => bounded.entries.delete(key)

export function clear<T>(bounded: Bounded<T>): void {
  bounded.entries.clear()
  bounded.arrivals = []
  bounded.head = 0
}
