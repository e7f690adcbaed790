// The handle that tests have on the clock of a running server.

import type { Effect } from '../machine.ts'
import { usageError } from '../options/usage.ts'
import type { Driver } from './driver.ts'
import type { Clock } from '../options/server-options.ts'

/** Moves a manual clock; with any other one both throw a usage error. */
export type ClockHandle<E = Effect> = {
  /** Moves the clock on by so many milliseconds. Resolves when all effects are on the wire. */
  readonly advance: (byMs: number) => Promise<void>
  /**
   * Moves the clock until an effect matches, or with `idle` until nothing is due, for which it waits for agents and
   * senders that are at work and lets none of them time out. Resolves when all effects are on the wire. Throws when
   * nothing is due any more and no effect has matched.
   */
  readonly until: (what: 'idle' | ((effect: E) => boolean)) => Promise<void>
}

/** Machines whose clocks are one: each of their handles moves them all. */
export type ClockGroup = {
  readonly members: {
    readonly driver: Pick<Driver, 'advance' | 'nowMs'> & { readonly settle: () => void }
    readonly flushed: () => Promise<unknown>
    readonly worked: () => Promise<void> | undefined
  }[]
}

/**
 * @param flushed resolves when all effects are on the wire.
 * @param group the machines that are moved with this one, which joins them.
 * @param worked resolves when work that others do has ended, be it one piece; undefined where there is none under way.
 * @param hint what to look at where nothing is due any more.
 */
export function createClockHandle<I, E>(
  clock: Clock,
  driver: Driver<I, E>,
  flushed: () => Promise<unknown>,
  { members }: ClockGroup = { members: [] },
  worked: () => Promise<void> | undefined = () => undefined,
  hint = 'Was the workflow submitted?',
): ClockHandle<E> {
  const { advance, nowMs } = driver
  const own = { advance, nowMs, settle: driver.settle }
  members.push({ driver: own, flushed, worked })
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
      for (const one of members) one.driver.settle()
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
    until: async (what) => {
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
