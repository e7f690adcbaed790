// The values of then that are others now: ids of runs, names of uploads and of outputs. They are learned from replies and messages
// that belong together, and replaced in what is sent later.

/** Members whose values the server chooses: a later request may name them. */
const chosen: ReadonlySet<string> = new Set(['prompt_id', 'id', 'name', 'filename', 'subfolder'])

export type Identities = {
  /** Learns from a value of then and the value of now in its place. */
  readonly learn: (then: unknown, now: unknown) => void
  /** A text of then with the values of now. */
  readonly replace: (text: string) => string
  /** A single value of then as that of now. */
  readonly valueOf: (then: string) => string
}

/** The longest first, so that none is replaced within another. */
const byLength = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  b.length - a.length

/** Ids shorter than this could be part of any text. */
const MIN_LENGTH = 4

export function createIdentities(): Identities {
  const values = new Map<string, string>()
  const pair = (then: unknown, now: unknown): void => {
    if (
      typeof then === 'string' &&
      typeof now === 'string' &&
      then !== now &&
      then.length >= MIN_LENGTH
    )
      values.set(then, now)
  }
  const learn = (then: unknown, now: unknown): void => {
    if (typeof then !== 'object' || typeof now !== 'object' || then === null || now === null) return
    const [keysThen, keysNow] = [Object.keys(then), Object.keys(now)]
    const others = now as Readonly<Record<string, unknown>>
    for (const [key, value] of Object.entries(then)) {
      if (chosen.has(key)) pair(value, others[key])
      learn(value, others[values.get(key) ?? key])
    }
    // A history is keyed by the id of its run.
    const [onlyThen, onlyNow] = [keysThen[0], keysNow[0]]
    if (
      keysThen.length === 1 &&
      keysNow.length === 1 &&
      onlyThen !== undefined &&
      onlyNow !== undefined
    )
      learn(Object.values(then)[0], Object.values(now)[0])
  }
  return {
    learn,
    valueOf: (then) => values.get(then) ?? then,
    replace: (text) =>
      [...values].toSorted(byLength).reduce((sum, [then, now]) => sum.replaceAll(then, now), text),
  }
}
