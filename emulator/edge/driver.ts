// Drives a machine: gives inputs their time, carries effects out, and wakes the machine when something is due.

import type { Effect, Input } from '../machine.ts'
import { usageError } from '../options/usage.ts'
import type { Clock } from '../options/server-options.ts'

/** Changes the effects of a step before anybody sees them. It makes wrong servers for the suites, and is for nothing else. */
export type Tamper<I = Input, E = Effect> = (effects: readonly E[], input: I) => readonly E[]

/** Time passes: the one input that every machine takes. */
type Wake = { readonly kind: 'wake'; readonly atMs: number }

/** What is driven: a state with its own time, in milliseconds since its start. */
export type Machine<I, E> = {
  readonly step: (input: I | Wake) => readonly E[]
  /** When it does something by itself next; undefined when it waits for an input. */
  readonly nextWakeMs: () => number | undefined
  /**
   * Whether what it does next is to give up work that others do for it. Such a time is never jumped to: they work in
   * real time, and would always be late. None for a machine for which nobody else works.
   */
  readonly isWaitingForOthers?: () => boolean
  /** Whether what an input makes due at once is done in the same turn, after its effects have been carried out. */
  readonly isEager?: boolean
  readonly nowMs: () => number
  /** Start of its time, in milliseconds since 1970. */
  readonly epochMs: number
  /** How long it has been running by the clock of the machine, in milliseconds; where none is given, that which never jumps. */
  readonly elapsedMs?: () => number
}

export type Driver<I = Input, E = Effect> = {
  /** Lets an input happen now, and carries out its effects before it returns. */
  readonly dispatch: (at: (atMs: number) => I) => void
  /** Moves a manual clock on by so many milliseconds. */
  readonly advance: (byMs: number) => void
  /** Moves a manual clock from one due time to the next until an effect matches, or nothing is due. Tells whether one matched. */
  readonly advanceUntil: (matches: (effect: E) => boolean) => boolean
  /** Moves a manual clock from one due time to the next until nothing is due, or only work of others is waited for. */
  readonly settle: () => void
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

/**
 * @param carryOut receives each input with its effects, in order.
 * @param together does some work whose effects may leave in one go.
 * @param tamper changes what a step has brought about.
 */
export function createDriver<I, E>(
  machine: Machine<I, E>,
  clock: Clock,
  carryOut: (input: I | Wake, effects: readonly E[]) => void,
  together: (work: () => void) => void,
  tamper?: Tamper<I | Wake, E>,
): Driver<I, E> {
  const { nextWakeMs, epochMs, isWaitingForOthers = () => false } = machine
  const startedAt = performance.now()
  const elapsedMs = machine.elapsedMs ?? (() => performance.now() - startedAt)
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

  const happen: typeof machine.step =
    tamper === undefined ? machine.step : (input) => tamper(machine.step(input), input)

  const feed = (input: I | Wake): readonly E[] => {
    const effects = happen(input)
    carryOut(input, effects)
    return effects
  }

  const wakeAt = (atMs: number): readonly E[] => feed({ kind: 'wake', atMs })

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
    together(() => {
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
    feed(at(nowMs()))
    if (clock === 'instant') return runInstantly()
    if (machine.isEager === true && scale !== 0) catchUp(SLICE_MS, (dueMs) => dueMs <= wallMs())
    schedule()
  }

  const advance = (byMs: number): void => {
    if (stopped) throw usageError('The server is closed.')
    const untilMs = machine.nowMs() + byMs
    if (epochMs + untilMs > MAX_DATE_MS) {
      throw usageError(`Time cannot move by ${byMs} milliseconds: no date is that far away.`)
    }
    together(() => {
      let due = nextWakeMs()
      for (; due !== undefined && due <= untilMs; due = nextWakeMs()) wakeAt(due)
      wakeAt(untilMs)
    })
  }

  const settle = (): void => {
    if (stopped) throw usageError('The server is closed.')
    catchUp(Infinity, () => !isWaitingForOthers())
  }

  const advanceUntil = (matches: (effect: E) => boolean): boolean => {
    if (stopped) throw usageError('The server is closed.')
    let matched = false
    together(() => {
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

  return { dispatch, advance, advanceUntil, settle, nowMs: machine.nowMs, stop }
}
