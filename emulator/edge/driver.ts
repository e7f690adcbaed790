// Drives a server: gives inputs their time, carries effects out, and wakes the server when something is due.

import type { Effect, Input } from '../machine.ts'
import { type Clock, usageError } from '../options.ts'
import { nextWakeMs, step } from '../server/step.ts'
import type { Server } from '../server/server.ts'

/** Changes the effects of a step before anybody sees them. It makes wrong servers for the suites, and is for nothing else. */
export type Tamper = (effects: readonly Effect[], input: Input) => readonly Effect[]

export type Driver = {
  /** Lets an input happen now, and carries out its effects before it returns. */
  readonly dispatch: (at: (atMs: number) => Input) => void
  /** Moves a manual clock on by so many milliseconds. */
  readonly advance: (byMs: number) => void
  /** Moves a manual clock from one due time to the next until an effect matches, or nothing is due. Tells whether one matched. */
  readonly advanceUntil: (matches: (effect: Effect) => boolean) => boolean
  readonly stop: () => void
}

/** Longest time for which a world does what is due without looking at what else has come, in milliseconds. */
const SLICE_MS = 25
/** The same for an instant world, whose runs are to be over when the next request comes. */
const INSTANT_SLICE_MS = 250

/** The last moment that has a date, in milliseconds since 1970. */
const MAX_DATE_MS = 8.64e15

/** Longest time that a native timer can wait, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * @param carryOut receives each input with its effects, in order.
 * @param together does some work whose effects may leave in one go.
 * @param tamper changes what a step has brought about.
 */
export function createDriver(
  server: Server,
  clock: Clock,
  carryOut: (input: Input, effects: readonly Effect[]) => void,
  together: (work: () => void) => void,
  tamper?: Tamper,
): Driver {
  const startedAt = performance.now()
  const scale = clock === 'real' ? 1 : clock.startsWith('x') ? Number(clock.slice(1)) : 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const wallMs = (): number => Math.floor((performance.now() - startedAt) * scale)

  /**
   * A clock that does not run by itself shows the time of the last input. One that does never passes what is due:
   * where the machine is slower than the pace, the world's time waits, and requests are answered in between.
   */
  const nowMs = (): number =>
    scale === 0 ? server.nowMs : Math.min(wallMs(), nextWakeMs(server) ?? Infinity)

  const happen: typeof step =
    tamper === undefined ? step : (one, input) => tamper(step(one, input), input)

  const feed = (input: Input): readonly Effect[] => {
    const effects = happen(server, input)
    carryOut(input, effects)
    return effects
  }

  const wakeAt = (atMs: number): readonly Effect[] => feed({ kind: 'wake', atMs })

  /** One native timer, for the head of all that is due. */
  const schedule = (): void => {
    const dueMs = nextWakeMs(server)
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
      let due = nextWakeMs(server)
      for (
        ;
        due !== undefined && isNow(due) && performance.now() < endAt;
        due = nextWakeMs(server)
      ) {
        wakeAt(due)
      }
    })
  }

  /** Everything at once; only what takes long leaves room for other requests in between. */
  const runInstantly = (): void => {
    if (stopped) return
    catchUp(INSTANT_SLICE_MS, () => true)
    if (nextWakeMs(server) !== undefined) setImmediate(runInstantly)
  }

  const dispatch = (at: (atMs: number) => Input): void => {
    if (stopped) return
    feed(at(nowMs()))
    if (clock === 'instant') runInstantly()
    else schedule()
  }

  const advance = (byMs: number): void => {
    if (stopped) throw usageError('The server is closed.')
    const untilMs = server.nowMs + byMs
    if (server.options.epochMs + untilMs > MAX_DATE_MS) {
      throw usageError(`Time cannot move by ${byMs} milliseconds: no date is that far away.`)
    }
    together(() => {
      let due = nextWakeMs(server)
      for (; due !== undefined && due <= untilMs; due = nextWakeMs(server)) wakeAt(due)
      wakeAt(untilMs)
    })
  }

  const advanceUntil = (matches: (effect: Effect) => boolean): boolean => {
    if (stopped) throw usageError('The server is closed.')
    let matched = false
    together(() => {
      let due = nextWakeMs(server)
      for (; due !== undefined && !matched; due = nextWakeMs(server)) {
        matched = wakeAt(due).some(matches)
      }
    })
    return matched
  }

  const stop = (): void => {
    stopped = true
    clearTimeout(timer)
  }

  return { dispatch, advance, advanceUntil, stop }
}
