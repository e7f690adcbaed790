// The handle that tests have on the clock of a running machine.

import { usageError } from '../options/usage.ts'
import type { Clock } from '../options/server-options.ts'
import type { Driver } from './driver.ts'
import type { ClockHandle } from './handles.ts'

/** A machine whose clock is moved. */
export type ClockMember = {
  readonly driver: Pick<Driver<never, never>, 'advance' | 'nowMs' | 'runUntilIdle'>
  /** Resolves when all effects are on the wire. */
  readonly flushed: () => Promise<unknown>
  /** Resolves when work that others do has ended, be it one piece; undefined where there is none under way. */
  readonly worked: () => Promise<void> | undefined
}

/** Machines whose clocks are one: each of their handles moves them all. */
export type ClockGroup = { readonly members: ClockMember[] }

/** The handle as the edge has it: it can say more where a test waits in vain. */
export type HintingClock<E> = ClockHandle<E> & {
  readonly until: (what: Parameters<ClockHandle<E>['until']>[0], hint?: string) => Promise<void>
}

/**
 * @param member the machine, which joins the others of its group.
 * @param usualHint what to look at where nothing is due any more.
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
      `The clock is ${clock}: it moves by itself. Start with clock: 'manual' to move it.`,
    )
  }
  /** Lets all machines have the time of the one that is furthest, and waits until what that brings is on the wire. */
  const catchUp = async (): Promise<void> => {
    const latestMs = Math.max(...members.map((one) => one.driver.nowMs()))
    for (const one of members) {
      const behindMs = latestMs - one.driver.nowMs()
      if (behindMs > 0) one.driver.advance(behindMs)
    }
    await Promise.all(members.map((one) => one.flushed()))
  }
  /** What others did for one machine can leave another one with something to do. */
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
        throw usageError(`Nothing is due any more, and no effect has matched. ${hint}`)
      }
    },
  }
}
