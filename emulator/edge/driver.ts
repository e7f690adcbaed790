// Drives a machine: timestamps inputs, emits effects, and wakes the machine when a timer is due.

import type { Effect, Input, Machine } from '../machine.ts'
import { conflictError, usageError } from '../options/usage.ts'
import type { Clock } from '../options/server-options.ts'

/** Changes the effects of a step before they are emitted. For suites only, to create faulty servers. */
export type Tamper<I = Input, E = Effect> = (effects: readonly E[], input: I) => readonly E[]

export type Driver<I, E> = {
  /** Applies an input now, and emits its effects before it returns. */
  readonly dispatch: (at: (atMs: number) => I) => void
  /** Applies an input that changes the time of the machine, and continues from that time. */
  readonly jump: (at: (atMs: number) => I) => void
  /** Continues a machine that nothing has driven for so many milliseconds of real time: what was due meanwhile fires. */
  readonly resume: (awayMs: number) => void
  /** Advances a manual clock by this many milliseconds. */
  readonly advance: (byMs: number) => void
  /**
   * Fires the timers of a manual clock one by one until an effect matches, or none is left that is due by this time.
   * Returns whether one matched.
   */
  readonly advanceUntil: (matches: (effect: E) => boolean, untilMs: number) => boolean
  /**
   * Fires the timers of a manual clock one by one until none is left that is due by this time, or only external work is
   * pending. Returns whether later timers are left.
   */
  readonly runUntilIdle: (untilMs: number) => boolean
  /** Fires the next timer of a manual clock. Returns whether there was one. */
  readonly fireNext: () => boolean
  /** Whether a timer is left. */
  readonly hasTimers: () => boolean
  /** The machine's time, in milliseconds since its start. */
  readonly nowMs: () => number
  readonly stop: () => void
}

/** Longest time to fire due timers before looking for new inputs, in milliseconds: of all worlds of a process together. */
const SLICE_MS = 25
/** The same for an instant clock, whose runs should finish before the next request. */
const INSTANT_SLICE_MS = 250

/** When the slice of this turn of the loop ends, which all running clocks share; undefined before the first one fires. */
let sliceEndMs: number | undefined

const endOfSlice = (nowMs: number): number => {
  if (sliceEndMs === undefined) {
    sliceEndMs = nowMs + SLICE_MS
    afterInputs(() => {
      sliceEndMs = undefined
    })
  }
  return sliceEndMs
}

/** The last valid date, in milliseconds since 1970. */
const MAX_DATE_MS = 8.64e15

/** Longest delay of a native timer, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** The hooks of a driver. */
export type DriverHooks<I, E> = {
  /** Receives each input with its effects, in order. */
  readonly emit: (input: I, effects: readonly E[]) => void
  /** Does some work whose effects may leave together. */
  readonly batch: (work: () => void) => void
  /** How long the machine has been running, in milliseconds. */
  readonly elapsedMs: () => number
  /** The time of a monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number
  /** Changes the effects of a step. */
  readonly tamper?: Tamper<I, E> | undefined
}

export function createDriver<I, E>(
  machine: Machine<I, E>,
  clock: Clock,
  { emit, batch, elapsedMs, monotonicMs, tamper }: DriverHooks<I, E>,
): Driver<I, E> {
  const { nextWakeMs, isWaitingForOthers } = machine
  const scale = clock === 'real' ? 1 : clock.startsWith('x') ? Number(clock.slice(1)) : 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  /** The time of the machine when the wall clock was at 0: another one after a jump. */
  let startMs = machine.nowMs()
  const wallMs = (): number => Math.floor(elapsedMs() * scale) + startMs

  /**
   * A clock that does not run by itself keeps the time of the last input. A running one never skips a timer: if the machine
   * is slower than the pace, its time waits, and requests are answered in between.
   */
  const nowMs = (): number =>
    scale === 0 ? machine.nowMs() : Math.min(wallMs(), nextWakeMs() ?? Infinity)

  const step: typeof machine.step =
    tamper === undefined ? machine.step : (input) => tamper(machine.step(input), input)

  const apply = (input: I): readonly E[] => {
    const effects = step(input)
    emit(input, effects)
    return effects
  }

  const wakeAt = (atMs: number): readonly E[] => apply(machine.wake(atMs))

  /** One native timer for the next due time. */
  const schedule = (): void => {
    const dueMs = nextWakeMs()
    if (timer !== undefined) clearTimeout(timer)
    timer = undefined
    if (dueMs === undefined || scale === 0 || stopped) return
    const delayMs = Math.min(Math.max(0, (dueMs - wallMs()) / scale), MAX_TIMER_MS)
    timer = setTimeout(() => {
      timer = undefined
      // A native timer can fire up to a millisecond early, or before a distant due time.
      catchUp(endOfSlice(monotonicMs()), (nextMs) => nextMs <= wallMs() + 1)
      schedule()
    }, delayMs)
  }

  /** Fires due timers until a time of the monotonic clock, at least one: slices short enough that requests do not notice. */
  const catchUp = (endMs: number, isNow: (dueMs: number) => boolean): void =>
    batch(() => {
      let due = nextWakeMs()
      while (due !== undefined && isNow(due)) {
        wakeAt(due)
        due = monotonicMs() < endMs ? nextWakeMs() : undefined
      }
    })

  /** Fires all timers of an instant clock; long work leaves room for other requests. */
  const runInstantly = (): void => {
    if (stopped) return
    catchUp(monotonicMs() + INSTANT_SLICE_MS, () => !isWaitingForOthers())
    if (nextWakeMs() !== undefined && !isWaitingForOthers()) afterInputs(runInstantly)
  }

  const dispatch = (at: (atMs: number) => I): void => {
    if (stopped) return
    apply(at(nowMs()))
    if (clock === 'instant') return runInstantly()
    if (machine.isEager && scale !== 0)
      catchUp(monotonicMs() + SLICE_MS, (dueMs) => dueMs <= wallMs())
    schedule()
  }

  const requireOpen = (): void => {
    if (stopped) throw conflictError('The server is closed. Start another one.')
  }

  const jump = (at: (atMs: number) => I): void => {
    if (stopped) return
    apply(at(nowMs()))
    startMs += machine.nowMs() - wallMs()
    if (clock === 'instant') runInstantly()
    else schedule()
  }

  const resume = (awayMs: number): void => {
    startMs += Math.floor(awayMs * scale)
    if (clock === 'instant') runInstantly()
    else schedule()
  }

  const stop = (): void => {
    stopped = true
    clearTimeout(timer)
  }

  // A machine can have timers from the start.
  schedule()
  return {
    dispatch,
    jump,
    resume,
    ...manualMoves(machine, { batch, wakeAt, catchUp, requireOpen }),
    hasTimers: () => nextWakeMs() !== undefined,
    nowMs: machine.nowMs,
    stop,
  }
}

/** What a driver does for the moves of a manual clock. */
type Steps<E> = {
  readonly batch: (work: () => void) => void
  /** Fires the timers that are due at a time. */
  readonly wakeAt: (atMs: number) => readonly E[]
  /** Fires timers while they are chosen, until a time of the monotonic clock. */
  readonly catchUp: (endMs: number, isChosen: (dueMs: number) => boolean) => void
  /** Throws a usage error after the end. */
  readonly requireOpen: () => void
}

/** The moves of a manual clock. */
function manualMoves<I, E>(
  machine: Machine<I, E>,
  { batch, wakeAt, catchUp, requireOpen }: Steps<E>,
): Pick<Driver<I, E>, 'advance' | 'advanceUntil' | 'runUntilIdle' | 'fireNext'> {
  const { nextWakeMs, epochMs, isWaitingForOthers } = machine
  const advance = (byMs: number): void => {
    requireOpen()
    const untilMs = machine.nowMs() + byMs
    if (epochMs + untilMs > MAX_DATE_MS) {
      throw usageError(`Time cannot move by ${byMs} milliseconds: the date would be out of range.`)
    }
    batch(() => {
      let due = nextWakeMs()
      for (; due !== undefined && due <= untilMs; due = nextWakeMs()) wakeAt(due)
      wakeAt(untilMs)
    })
  }

  const runUntilIdle = (untilMs: number): boolean => {
    requireOpen()
    catchUp(Infinity, (dueMs) => dueMs <= untilMs && !isWaitingForOthers())
    return nextWakeMs() !== undefined && !isWaitingForOthers()
  }

  const advanceUntil = (matches: (effect: E) => boolean, untilMs: number): boolean => {
    requireOpen()
    let matched = false
    batch(() => {
      let due = nextWakeMs()
      for (; due !== undefined && due <= untilMs && !matched; due = nextWakeMs()) {
        matched = wakeAt(due).some(matches)
      }
    })
    return matched
  }

  const fireNext = (): boolean => {
    requireOpen()
    const due = nextWakeMs()
    if (due !== undefined) batch(() => wakeAt(due))
    return due !== undefined
  }

  return { advance, advanceUntil, runUntilIdle, fireNext }
}

/** Does work after the inputs that have arrived. Browsers have no setImmediate. */
const afterInputs = (work: () => void): void => {
  if (typeof setImmediate === 'function') setImmediate(work)
  else setTimeout(work)
}
