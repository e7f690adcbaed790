// The latest entries of a journal in memory: so many, and so much, and no more.

/** So many entries are kept, */
const MAX_ENTRIES = 1000
/** as long as what they hold is together no larger than this, in bytes. */
const MAX_HELD_BYTES = 8 * 2 ** 20

export type Ring<T> = {
  readonly add: (entry: T) => void
  /** What is kept, oldest first. */
  readonly entries: () => readonly T[]
  /** The number of the first entry that is kept. */
  readonly first: () => number
}

/** @param entryBytes about what an entry holds. */
export function createRing<T>(entryBytes: (entry: T) => number): Ring<T> {
  const ring: ({ readonly entry: T; readonly bytes: number } | undefined)[] = Array.from({
    length: MAX_ENTRIES,
  })
  let first = 0
  let next = 0
  let heldBytes = 0
  const dropFirst = (): void => {
    const slot = first++ % MAX_ENTRIES
    heldBytes -= ring[slot]?.bytes ?? 0
    ring[slot] = undefined
  }
  const isTooLarge = (): boolean => heldBytes > MAX_HELD_BYTES
  const add = (entry: T): void => {
    if (next - first === MAX_ENTRIES) dropFirst()
    const bytes = entryBytes(entry)
    ring[next++ % MAX_ENTRIES] = { entry, bytes }
    heldBytes += bytes
    while (isTooLarge()) dropFirst()
  }
  const entries = (): readonly T[] => {
    const found: T[] = []
    for (let at = first; at < next; at++) {
      const held = ring[at % MAX_ENTRIES]
      if (held !== undefined) found.push(held.entry)
    }
    return found
  }
  return { add, entries, first: () => first }
}
