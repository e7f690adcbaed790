// Numbers that a seed determines.

export type Random = {
  /** An integer from 0 to below this number. */
  readonly below: (count: number) => number
  readonly pick: <T>(list: readonly T[]) => T
  readonly shuffled: <T>(list: readonly T[]) => readonly T[]
}

/** The numbers of a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const below = (count: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const shuffled = <T>(list: readonly T[]): readonly T[] =>
    list
      .map((one) => ({ one, order: below(2 ** 30) }))
      .toSorted((left, right) => left.order - right.order)
      .map(({ one }) => one)
  return { below, pick, shuffled }
}
