// Keeps the latest entries of a journal in memory, within limits of number and size.

import type { Entry } from '../machine.ts'
import { MIN_REPEATED_LENGTH } from './repeats.ts'

/** The maximum number of entries, */
const MAX_ENTRIES = 1000
/** and their maximum total size, in bytes. */
const MAX_HELD_BYTES = 8 * 2 ** 20

export type Ring<I, E> = {
  /** Whether an entry of about so many bytes can be added without dropping another one. */
  readonly hasRoom: (bytes: number) => boolean
  /** Adds an entry of about so many bytes, and returns its number. */
  readonly add: (entry: Entry<I, E>, bytes: number) => number
  /** The kept entries, oldest first. */
  readonly entries: () => readonly Entry<I, E>[]
  /** The number of the first kept entry. */
  readonly first: () => number
  /** The number of the next entry. */
  readonly next: () => number
  /** Drops the oldest part of the entries, from 0 to 1. */
  readonly trim: (part: number) => void
  /** The approximate size of the kept entries, in bytes. */
  readonly bytes: () => number
  /** The kept entries as plain data in which each large text occurs once. */
  readonly save: () => SavedRing<I>
}

/** What an entry takes beside its texts and bodies, in bytes. */
const ENTRY_BYTES = 1000

/** The entries of a journal. In place of a large body, an effect has a `SharedBody`. */
export type SavedRing<I> = {
  readonly first: number
  readonly entries: readonly Entry<I, unknown>[]
  readonly texts: readonly string[]
}

/** The place of a body among the texts. */
type SharedBody = { readonly textAt: number }

/** The kept entries of a journal that was saved. */
export const entriesOf = <I, E>({ entries, texts }: SavedRing<I>): readonly Entry<I, E>[] =>
  entries.map(({ input, effects }) => {
    const whole = effects.map((effect) => {
      const { textAt } = (effect as { readonly body?: Partial<SharedBody> }).body ?? {}
      // The members keep their order, in which they are written.
      return textAt === undefined ? effect : { ...(effect as object), body: texts[textAt] }
    })
    return { input, effects: whole as readonly E[] }
  })

/** A large text in the bodies of several entries: it is stored once. */
type SharedText = { readonly text: string; holders: number }

/** @param begin the number of the first entry. */
export function createRing<I, E>(begin = 0): Ring<I, E> {
  // Three lists instead of one of objects: an old entry can be dropped without reading it.
  // They grow with the journal: a process can have thousands.
  const ring: (Entry<I, E> | undefined)[] = []
  /** The size of each entry, without large texts. */
  const sizes: number[] = []
  /** The large texts of each entry. */
  const sharedBy: (readonly SharedText[])[] = []
  const texts = new Map<string, SharedText>()
  let first = begin
  let next = begin
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
  /** Stores an entry at an index. */
  const putEntry = (at: number, entry: Entry<I, E>, allBytes: number): void => {
    ring[at] = entry
    const sharedBytes = entry.effects.some(hasLargeBody) ? shareBodies(at, entry) : 0
    const bytes = allBytes - sharedBytes
    sizes[at] = bytes
    sharedBy[at] ??= none
    heldBytes += bytes
  }
  /** Stores the large texts of an entry once for all entries, and returns their size. */
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
  const hasRoom = (bytes: number): boolean =>
    next - first < MAX_ENTRIES && heldBytes + bytes <= MAX_HELD_BYTES

  const add: Ring<I, E>['add'] = (entry, bytes) => {
    const number = next++
    if (number - first === MAX_ENTRIES) dropFirst()
    putEntry(number % MAX_ENTRIES, entry, bytes)
    while (isTooLarge()) dropFirst()
    return number
  }
  const entries = (): readonly Entry<I, E>[] => {
    const kept: Entry<I, E>[] = []
    for (let at = first; at < next; at++) {
      const entry = ring[at % MAX_ENTRIES]
      if (entry !== undefined) kept.push(entry)
    }
    return kept
  }
  const trim = (part: number): void => {
    for (let left = Math.ceil(part * (next - first)); left > 0; left--) dropFirst()
  }
  const bytes = (): number => heldBytes + ENTRY_BYTES * (next - first)
  const save = (): SavedRing<I> => {
    const places = new Map<string, number>()
    const placeOf = (text: string): number => {
      const place = places.get(text) ?? places.size
      places.set(text, place)
      return place
    }
    const without = (effect: E): unknown =>
      hasLargeBody(effect)
        ? { ...effect, body: { textAt: placeOf(effect.body) } satisfies SharedBody }
        : effect
    const saved = entries().map(({ input, effects }) => ({ input, effects: effects.map(without) }))
    return { first, entries: saved, texts: [...places.keys()] }
  }
  return { hasRoom, add, entries, first: () => first, next: () => next, trim, bytes, save }
}

const none: readonly SharedText[] = []

const hasLargeBody = <E>(effect: E): effect is E & { readonly body: string } =>
  typeof effect === 'object' &&
  effect !== null &&
  'body' in effect &&
  typeof effect.body === 'string' &&
  effect.body.length >= MIN_REPEATED_LENGTH
