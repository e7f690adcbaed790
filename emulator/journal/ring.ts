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
type Shared = { readonly text: string; holders: number }

type Slot<I, E> = {
  readonly entry: Entry<I, E>
  /** Without the large texts. */
  readonly bytes: number
  readonly shared: readonly Shared[]
}

/** @param entryBytes about how many bytes an entry holds. */
export function createRing<I, E>(entryBytes: (entry: Entry<I, E>) => number): Ring<I, E> {
  const ring: (Slot<I, E> | undefined)[] = Array.from({ length: MAX_ENTRIES })
  const texts = new Map<string, Shared>()
  let first = 0
  let next = 0
  let heldBytes = 0

  const hold = (text: string): Shared => {
    const shared = texts.get(text) ?? { text, holders: 0 }
    if (shared.holders++ === 0) {
      texts.set(text, shared)
      heldBytes += text.length
    }
    return shared
  }
  const release = (shared: Shared): void => {
    if (--shared.holders > 0) return
    texts.delete(shared.text)
    heldBytes -= shared.text.length
  }
  const slotOf = (entry: Entry<I, E>): Slot<I, E> => {
    const bytes = entryBytes(entry)
    if (!entry.effects.some(hasLargeBody)) return { entry, bytes, shared: none }
    const shared: Shared[] = []
    const effects = entry.effects.map((effect) => {
      if (!hasLargeBody(effect)) return effect
      const one = hold(effect.body)
      shared.push(one)
      return { ...effect, body: one.text }
    })
    const sharedBytes = shared.reduce((sum, { text }) => sum + text.length, 0)
    return { entry: { input: entry.input, effects }, bytes: bytes - sharedBytes, shared }
  }
  const dropFirst = (): void => {
    const at = first++ % MAX_ENTRIES
    heldBytes -= ring[at]?.bytes ?? 0
    ring[at]?.shared.forEach(release)
    ring[at] = undefined
  }
  const isTooLarge = (): boolean => heldBytes > MAX_HELD_BYTES

  const add = (entry: Entry<I, E>): void => {
    if (next - first === MAX_ENTRIES) dropFirst()
    const slot = slotOf(entry)
    ring[next++ % MAX_ENTRIES] = slot
    heldBytes += slot.bytes
    while (isTooLarge()) dropFirst()
  }
  const entries = (): readonly Entry<I, E>[] => {
    const kept: Entry<I, E>[] = []
    for (let at = first; at < next; at++) {
      const slot = ring[at % MAX_ENTRIES]
      if (slot !== undefined) kept.push(slot.entry)
    }
    return kept
  }
  return { add, entries, first: () => first }
}

const none: readonly Shared[] = []

const hasLargeBody = <E>(effect: E): effect is E & { readonly body: string } =>
  typeof effect === 'object' &&
  effect !== null &&
  'body' in effect &&
  typeof effect.body === 'string' &&
  effect.body.length >= MIN_REPEATED_LENGTH
