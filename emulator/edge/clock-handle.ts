// The clock handle of a running machine, for tests.

import { usageError } from '../options/usage.ts'
import type { Clock } from '../options/server-options.ts'
import type { Driver } from './driver.ts'
import type { ClockHandle } from './handles.ts'

/** A machine whose clock the handle moves. */
export type ClockMember = {
  readonly driver: Pick<Driver<never, never>, 'advance' | 'nowMs' | 'runUntilIdle'>
  /** Resolves when all effects are sent. */
  readonly flushed: () => Promise<unknown>
  /** Resolves when one piece of external work has ended; undefined if none is running. */
  readonly worked: () => Promise<void> | undefined
}

/** Machines that share a clock: the handle of each moves them all. */
export type ClockGroup = { readonly members: ClockMember[] }

/** The handle inside the edge: it can add a hint to the error of a wait that never ends. */
export type HintingClock<E> = ClockHandle<E> & {
  readonly until: (what: Parameters<ClockHandle<E>['until']>[0], hint?: string) => Promise<void>
}

/**
 * @param member the machine, which joins the others of its group.
 * @param usualHint what to check when no timer is left.
 */
export function createClockHandle<I, E>(
  clock: Clock,
  member: ClockMember & { readonly driver: Driver<I, E> },
  { members }: ClockGroup,
  usualHint: string,
): HintingClock<E> {
  const { driver } = member
  members.push(member)
  const requireManual = (): void => {
    if (clock === 'manual') return
    throw usageError(
      `The clock is ${clock}, which moves by itself. Start with clock: 'manual' to move it.`,
    )
  }
  /** Advances all machines to the latest time among them, and waits until the effects are sent. */
  const catchUp = async (): Promise<void> => {
    const latestMs = Math.max(...members.map((one) => one.driver.nowMs()))
    for (const one of members) {
      const behindMs = latestMs - one.driver.nowMs()
      if (behindMs > 0) one.driver.advance(behindMs)
    }
    await Promise.all(members.map((one) => one.flushed()))
  }
  /** Work that ends for one machine can cause work for another. */
  const idle = async (): Promise<void> => {
    for (;;) {
      for (const one of members) one.driver.runUntilIdle()
      const works = members.map((one) => one.worked()).filter((work) => work !== undefined)
      if (works.length === 0) return
      await Promise.race(works)
    }
  }
  return {
    advance: async (byMs) => {
      requireManual()
      if (!Number.isFinite(byMs) || byMs < 0)
        throw usageError(`Time cannot move by ${byMs} milliseconds.`)
      driver.advance(byMs)
      await catchUp()
    },
    until: async (what, hint: string = usualHint) => {
      requireManual()
      if (what === 'idle') await idle()
      const matched = what !== 'idle' && driver.advanceUntil(what)
      await catchUp()
      if (what !== 'idle' && !matched) {
        throw usageError(`No timer is left, and no effect has matched. ${hint}`)
      }
    },
  }
}
