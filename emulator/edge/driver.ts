// Drives a machine: gives inputs their time, emits their effects, and wakes the machine when something is due.

import type { Effect, Input, Machine } from '../machine.ts'
import { usageError } from '../options/usage.ts'
import type { Clock } from '../options/server-options.ts'

/** Changes the effects of a step before anybody sees them. It makes wrong servers for the suites, and is for nothing else. */
export type Tamper<I = Input, E = Effect> = (effects: readonly E[], input: I) => readonly E[]

export type Driver<I, E> = {
  /** Applies an input now, and emits its effects before it returns. */
  readonly dispatch: (at: (atMs: number) => I) => void
  /** Moves a manual clock on by so many milliseconds. */
  readonly advance: (byMs: number) => void
  /** Moves a manual clock from one due time to the next until an effect matches, or nothing is due. Returns whether one matched. */
  readonly advanceUntil: (matches: (effect: E) => boolean) => boolean
  /** Moves a manual clock from one due time to the next until nothing is due, or only work of others is waited for. */
  readonly runUntilIdle: () => void
  /** The time of the machine, in milliseconds since its start. */
  readonly nowMs: () => number
  readonly stop: () => void
}

/** Longest time for which a world does what is due without looking at what else has come, in milliseconds. */
const SLICE_MS = 25
/** The same for an instant world, whose runs are to be over when the next request comes. */
const INSTANT_SLICE_MS = 250

/** The last moment that has a date, in milliseconds since 1970. */
const MAX_DATE_MS = 8.64e15

/** Longest time that a native timer can wait, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** What surrounds a machine. */
export type Surroundings<I, E> = {
  /** Receives each input with its effects, in order. */
  readonly emit: (input: I, effects: readonly E[]) => void
  /** Does some work whose effects may leave in one go. */
  readonly batch: (work: () => void) => void
  /** How long the machine has been running, in milliseconds; where it is not given, by the clock that never jumps. */
  readonly elapsedMs?: (() => number) | undefined
  /** Changes what a step has brought about. */
  readonly tamper?: Tamper<I, E> | undefined
}

export function createDriver<I, E>(
  machine: Machine<I, E>,
  clock: Clock,
  { emit, batch, tamper, ...given }: Surroundings<I, E>,
): Driver<I, E> {
  const { nextWakeMs, epochMs, isWaitingForOthers } = machine
  const startedAt = performance.now()
  const elapsedMs = given.elapsedMs ?? (() => performance.now() - startedAt)
  const scale = clock === 'real' ? 1 : clock.startsWith('x') ? Number(clock.slice(1)) : 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const wallMs = (): number => Math.floor(elapsedMs() * scale)

  /**
   * A clock that does not run by itself shows the time of the last input. One that does never passes what is due:
   * where the machine is slower than the pace, the world's time waits, and requests are answered in between.
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

  /** One native timer, for the head of all that is due. */
  const schedule = (): void => {
    const dueMs = nextWakeMs()
    clearTimeout(timer)
    if (dueMs === undefined || scale === 0 || stopped) return
    const delayMs = Math.min(Math.max(0, (dueMs - wallMs()) / scale), MAX_TIMER_MS)
    timer = setTimeout(() => {
      // A timer may fire early, by less than a millisecond, or for a far time on its way there.
      catchUp(SLICE_MS, (nextMs) => nextMs <= wallMs() + 1)
      schedule()
    }, delayMs)
  }

  /** Does what is due, as long as it is to be done now, for so long that nobody who waits for an answer notices. */
  const catchUp = (sliceMs: number, isNow: (dueMs: number) => boolean): void => {
    const endAt = performance.now() + sliceMs
    batch(() => {
      let due = nextWakeMs()
      for (; due !== undefined && isNow(due) && performance.now() < endAt; due = nextWakeMs()) {
        wakeAt(due)
      }
    })
  }

  /** Everything at once; only what takes long leaves room for other requests in between. */
  const runInstantly = (): void => {
    if (stopped) return
    catchUp(INSTANT_SLICE_MS, () => !isWaitingForOthers())
    if (nextWakeMs() !== undefined && !isWaitingForOthers()) setImmediate(runInstantly)
  }

  const dispatch = (at: (atMs: number) => I): void => {
    if (stopped) return
    apply(at(nowMs()))
    if (clock === 'instant') return runInstantly()
    if (machine.isEager && scale !== 0) catchUp(SLICE_MS, (dueMs) => dueMs <= wallMs())
    schedule()
  }

  const advance = (byMs: number): void => {
    if (stopped) throw usageError('The server is closed.')
    const untilMs = machine.nowMs() + byMs
    if (epochMs + untilMs > MAX_DATE_MS) {
      throw usageError(`Time cannot move by ${byMs} milliseconds: no date is that far away.`)
    }
    batch(() => {
      let due = nextWakeMs()
      for (; due !== undefined && due <= untilMs; due = nextWakeMs()) wakeAt(due)
      wakeAt(untilMs)
    })
  }

  const runUntilIdle = (): void => {
    if (stopped) throw usageError('The server is closed.')
    catchUp(Infinity, () => !isWaitingForOthers())
  }

  const advanceUntil = (matches: (effect: E) => boolean): boolean => {
    if (stopped) throw usageError('The server is closed.')
    let matched = false
    batch(() => {
      let due = nextWakeMs()
      for (; due !== undefined && !matched; due = nextWakeMs()) {
        matched = wakeAt(due).some(matches)
      }
    })
    return matched
  }

  const stop = (): void => {
    stopped = true
    clearTimeout(timer)
  }

  return { dispatch, advance, advanceUntil, runUntilIdle, nowMs: machine.nowMs, stop }
}
