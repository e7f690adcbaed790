// The clock handle of a running machine, for tests.

import { nearest } from '../lib/nearest.ts'
import { conflictError, usageError } from '../options/usage.ts'
import type { Clock } from '../options/server-options.ts'
import type { Driver } from './driver.ts'
import type { ClockHandle, WaitLimit } from './handles.ts'

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

/** The longest wait unless the caller sets another one: a year, in milliseconds. */
const MAX_WAIT_MS = 31_536_000_000

/** What the handle calls the effects and runs of a machine. */
export type ClockNames<E> = {
  readonly nameOf: (effect: E) => string
  /** The states that a run reaches. */
  readonly states: readonly string[]
  /** What to check when no timer is left; it can replace the hint of the caller. */
  readonly hint: (own: string | undefined) => string
}

/** The handle inside the edge: it can add a hint to the error of a wait that never ends. */
export type HintingClock<E> = Pick<ClockHandle<E>, 'advance'> & {
  readonly until: (
    what: string | ((effect: E) => boolean),
    limit?: WaitLimit & { readonly hint?: string },
  ) => Promise<void>
}

/**
 * @param member the machine, which joins the others of its group.
 * @param names what effects and runs are called, and what to check when no timer is left.
 */
export function createClockHandle<I, E>(
  clock: Clock,
  member: ClockMember & { readonly driver: Driver<I, E> },
  { members }: ClockGroup,
  { nameOf, states, hint: hintFor }: ClockNames<E>,
): HintingClock<E> {
  const { driver } = member
  members.push(member)
  const requireManual = (): void => {
    if (clock === 'manual') return
    throw conflictError(
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
  /** Work that ends for one machine can cause work for another. Returns whether nothing is left. */
  const idle = async (untilMs: number): Promise<boolean> => {
    for (;;) {
      let isLate = false
      for (const one of members) if (one.driver.runUntilIdle(untilMs)) isLate = true
      const works = members.map((one) => one.worked()).filter((work) => work !== undefined)
      if (works.length === 0 || isLate) return !isLate
      await Promise.race(works)
    }
  }
  return {
    advance: async (byMs) => {
      requireManual()
      if (typeof byMs !== 'number')
        throw usageError(`advance needs a number of milliseconds, not ${valueText(byMs)}.`)
      if (!Number.isFinite(byMs) || byMs < 0)
        throw usageError(`Time cannot move by ${byMs} milliseconds.`)
      driver.advance(byMs)
      await catchUp()
    },
    until: async (what, limit = {}) => {
      requireManual()
      requireKnown(what, states)
      const { hint, ...own } = limit
      requireLimit(own)
      const { withinMs = MAX_WAIT_MS } = own
      const untilMs = driver.nowMs() + withinMs
      const isReached =
        what === 'idle'
          ? await idle(untilMs)
          : what === 'next'
            ? driver.fireNext()
            : driver.advanceUntil(
                typeof what === 'function' ? what : (effect) => nameOf(effect) === `run ${what}`,
                untilMs,
              )
      await catchUp()
      if (isReached) return
      if (driver.hasTimers()) {
        throw conflictError(
          `This did not happen within ${withinMs} milliseconds of the clock. Set withinMs to wait longer.`,
        )
      }
      throw conflictError(`No timer is left, and no effect has matched. ${hintFor(hint)}`)
    },
  }
}

/** Throws a usage error for a name that is neither a moment nor a state of runs. */
function requireKnown(what: unknown, states: readonly string[]): void {
  const known = ['idle', 'next', ...states]
  if (typeof what === 'function' || known.some((name) => name === what)) return
  const meant = typeof what === 'string' ? nearest(what, known) : undefined
  const hint = meant === undefined ? `not ${valueText(what)}.` : `did you mean ${meant}?`
  throw usageError(`until knows ${known.join(', ')}, or a function; ${hint}`)
}

/** Throws a usage error for a limit with other members than `withinMs`. */
export function requireLimit(limit: WaitLimit): void {
  const unknown = Object.keys(limit).find((name) => name !== 'withinMs')
  if (unknown !== undefined)
    throw usageError(`A limit is { withinMs: 100 }; it has no member ${unknown}.`)
  const { withinMs = 0 } = limit
  if (typeof withinMs !== 'number' || !(withinMs >= 0))
    throw usageError(`withinMs needs a number of milliseconds, not ${valueText(withinMs)}.`)
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? `the text '${value}'` : JSON.stringify(value)
