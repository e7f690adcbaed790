// Drives a world: gives inputs their time, carries effects out, and wakes the world when something is due.

import type { Effect, Input } from '../machine.ts'
import type { Clock } from '../options.ts'
import { nextWakeMs, step } from '../server/step.ts'
import type { World } from '../server/world.ts'

export type Driver = {
  /** Lets an input happen now, and carries out its effects before it returns. */
  readonly dispatch: (at: (atMs: number) => Input) => void
  /** Moves a manual clock on by so many milliseconds. */
  readonly advance: (byMs: number) => void
  /** Moves a manual clock from one due time to the next until an effect matches, or nothing is due. Tells whether one matched. */
  readonly advanceUntil: (matches: (effect: Effect) => boolean) => boolean
  readonly stop: () => void
}

/** Longest time that a native timer can wait, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * @param carryOut receives each input with its effects, in order.
 * @param together does some work whose effects may leave in one go.
 */
export function createDriver(
  world: World,
  clock: Clock,
  carryOut: (input: Input, effects: readonly Effect[]) => void,
  together: (work: () => void) => void,
): Driver {
  const startedAt = performance.now()
  const scale = clock === 'real' ? 1 : clock.startsWith('x') ? Number(clock.slice(1)) : 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  /** A clock that does not run by itself shows the time of the last input. */
  const nowMs = (): number =>
    scale === 0 ? world.nowMs : Math.floor((performance.now() - startedAt) * scale)

  const feed = (input: Input): readonly Effect[] => {
    const effects = step(world, input)
    carryOut(input, effects)
    return effects
  }

  const wakeAt = (atMs: number): readonly Effect[] => feed({ kind: 'wake', atMs })

  /** One native timer, for the head of all that is due. */
  const schedule = (): void => {
    const dueMs = nextWakeMs(world)
    clearTimeout(timer)
    if (dueMs === undefined || scale === 0 || stopped) return
    const delayMs = Math.min(Math.max(0, (dueMs - nowMs()) / scale), MAX_TIMER_MS)
    timer = setTimeout(() => {
      // A timer may fire early or, for a far time, on its way there.
      const now = nowMs()
      if (now >= dueMs - 1) wakeAt(Math.max(now, dueMs))
      schedule()
    }, delayMs)
  }

  const dispatch = (at: (atMs: number) => Input): void => {
    if (stopped) return
    feed(at(nowMs()))
    if (clock === 'instant') advanceUntil(() => false)
    else schedule()
  }

  const advance = (byMs: number): void => {
    const untilMs = world.nowMs + byMs
    together(() => {
      let due = nextWakeMs(world)
      for (; due !== undefined && due <= untilMs; due = nextWakeMs(world)) wakeAt(due)
      wakeAt(untilMs)
    })
  }

  const advanceUntil = (matches: (effect: Effect) => boolean): boolean => {
    let matched = false
    together(() => {
      let due = nextWakeMs(world)
      for (; due !== undefined && !matched; due = nextWakeMs(world)) {
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
