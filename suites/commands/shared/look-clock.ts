// The clock by which a shared server looks at its worlds, which moves when a case sets it.

import type { EmulatorOptions } from 'flowdouble'

type LookClock = {
  readonly expiry: NonNullable<EmulatorOptions['expiry']>
  /** Sets the time, and lets the server look. */
  readonly at: (seconds: number) => void
  /** Resolves when what it has begun at the last look has ended. */
  readonly looked: () => Promise<unknown>
}

export function lookClock(): LookClock {
  let nowMs = 0
  const looks = new Set<() => Promise<void> | void>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    expiry: {
      monotonicMs: () => nowMs,
      every: (_, look) => {
        looks.add(look)
        return () => looks.delete(look)
      },
    },
    at: (seconds) => {
      nowMs = seconds * 1000
      last = Promise.all(Array.from(looks, async (look) => look()))
    },
    looked: () => last,
  }
}
