// The handle that tests have on the clock of a running server.

import type { Effect } from '../machine.ts'
import { type Clock, usageError } from '../options.ts'
import type { Driver } from './driver.ts'

/** Moves a manual clock; with any other one both throw a usage error. */
export type ClockHandle<E = Effect> = {
  /** Moves the clock on by so many milliseconds. Resolves when all effects are on the wire. */
  readonly advance: (byMs: number) => Promise<void>
  /**
   * Moves the clock until an effect matches, or with `idle` until nothing is due. Resolves when all effects are
   * on the wire. Throws when nothing is due any more and no effect has matched.
   */
  readonly until: (what: 'idle' | ((effect: E) => boolean)) => Promise<void>
}

/** @param flushed resolves when all effects are on the wire. */
export function createClockHandle<I, E>(
  clock: Clock,
  driver: Driver<I, E>,
  flushed: () => Promise<unknown>,
): ClockHandle<E> {
  const requireManual = (): void => {
    if (clock === 'manual') return
    throw usageError(
      `The clock is ${clock}: it moves by itself. Start with clock: 'manual' to move it.`,
    )
  }
  return {
    advance: async (byMs) => {
      requireManual()
      if (!Number.isFinite(byMs) || byMs < 0)
        throw usageError(`Time cannot move by ${byMs} milliseconds.`)
      driver.advance(byMs)
      await flushed()
    },
    until: async (what) => {
      requireManual()
      const matched = driver.advanceUntil(what === 'idle' ? () => false : what)
      await flushed()
      if (what !== 'idle' && !matched) {
        throw usageError(
          'Nothing is due any more, and no effect has matched. Was the workflow submitted?',
        )
      }
    },
  }
}
