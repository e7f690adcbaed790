// The latest entries of a journal in memory: so many, and so much, and no more.

import type { Entry } from '../machine.ts'
import { MIN_REPEATED_LENGTH } from './repeats.ts'

/** So many entries are kept, */
const MAX_ENTRIES = 1000
/** as long as what they hold is together no larger than this, in bytes. */
const MAX_HELD_BYTES = 8 * 2 ** 20

export type Ring<I, E> = {
  readonly add: (entry: Entry<I, E>) => void
  /** What is kept, oldest first. */
  readonly entries: () => readonly Entry<I, E>[]
  /** The number of the first entry that is kept. */
  readonly first: () => number
}

/** A large text that entries have as a body: it is held once for all of them. */
type SharedText = { readonly text: string; holders: number }

/** @param entryBytes about how many bytes an entry holds. */
export function createRing<I, E>(entryBytes: (entry: Entry<I, E>) => number): Ring<I, E> {
  // Three lists in place of one of objects: an old entry is dropped without a look at it.
  const ring: (Entry<I, E> | undefined)[] = Array.from({ length: MAX_ENTRIES })
  /** What each entry holds, without the large texts. */
  const sizes = new Float64Array(MAX_ENTRIES)
  /** The large texts of each entry. */
  const sharedBy: (readonly SharedText[])[] = Array.from({ length: MAX_ENTRIES }, () => none)
  const texts = new Map<string, SharedText>()
  let first = 0
  let next = 0
  let heldBytes = 0

  const holdText = (text: string): SharedText => {
    const shared = texts.get(text) ?? { text, holders: 0 }
    if (shared.holders++ === 0) {
      texts.set(text, shared)
      heldBytes += text.length
    }
    return shared
  }
  const release = (shared: SharedText): void => {
    if (--shared.holders > 0) return
    texts.delete(shared.text)
    heldBytes -= shared.text.length
  }
  /** Keeps an entry at this place. */
  const putEntry = (at: number, entry: Entry<I, E>): void => {
    ring[at] = entry
    const sharedBytes = entry.effects.some(hasLargeBody) ? shareBodies(at, entry) : 0
    const bytes = entryBytes(entry) - sharedBytes
    sizes[at] = bytes
    heldBytes += bytes
  }
  /** Holds the large texts of an entry once for all, and returns how many bytes they are. */
  const shareBodies = (at: number, { input, effects }: Entry<I, E>): number => {
    const shared: SharedText[] = []
    const sharedEffects = effects.map((effect) => {
      if (!hasLargeBody(effect)) return effect
      const one = holdText(effect.body)
      shared.push(one)
      return { ...effect, body: one.text }
    })
    ring[at] = { input, effects: sharedEffects }
    sharedBy[at] = shared
    return shared.reduce((sum, { text }) => sum + text.length, 0)
  }
  const dropFirst = (): void => {
    const at = first++ % MAX_ENTRIES
    heldBytes -= sizes[at] as number
    sizes[at] = 0
    ring[at] = undefined
    const shared = sharedBy[at] as readonly SharedText[]
    if (shared === none) return
    shared.forEach(release)
    sharedBy[at] = none
  }
  const isTooLarge = (): boolean => heldBytes > MAX_HELD_BYTES

  const add = (entry: Entry<I, E>): void => {
    if (next - first === MAX_ENTRIES) dropFirst()
    putEntry(next++ % MAX_ENTRIES, entry)
    while (isTooLarge()) dropFirst()
  }
  const entries = (): readonly Entry<I, E>[] => {
    const kept: Entry<I, E>[] = []
    for (let at = first; at < next; at++) {
      const entry = ring[at % MAX_ENTRIES]
      if (entry !== undefined) kept.push(entry)
    }
    return kept
  }
  return { add, entries, first: () => first }
}

const none: readonly SharedText[] = []

const hasLargeBody = <E>(effect: E): effect is E & { readonly body: string } =>
  typeof effect === 'object' &&
  effect !== null &&
  'body' in effect &&
  typeof effect.body === 'string' &&
  effect.body.length >= MIN_REPEATED_LENGTH
