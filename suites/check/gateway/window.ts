// The rate limit of a gateway elsewhere: how many of our posts it has counted, and when there is room for more.

import { setTimeout as delay } from 'node:timers/promises'

/** How long a post counts, with a second to spare. */
const WINDOW_MS = 61_000
const STEP_MS = 500

/** The statuses of posts that count against the limit: those with a valid signature. */
const counted: ReadonlySet<number> = new Set([200, 202, 400, 413, 500, 502, 503])

export type RateWindow = {
  readonly add: (status: number) => void
  /** Waits until there is room for so many posts, and calls `waited` with the time, step by step. */
  readonly room: (posts: number, waited: (ms: number) => void) => Promise<void>
}

/** The window of one route. */
export function createWindow(rateLimit: number, nowMs: () => number): RateWindow {
  let times: readonly number[] = []
  const current = (): readonly number[] => {
    times = times.filter((one) => one > nowMs() - WINDOW_MS)
    return times
  }
  return {
    add: (status) => {
      if (counted.has(status)) times = [...current(), nowMs()]
    },
    room: async (posts, waited) => {
      while (current().length > 0 && current().length + posts > rateLimit) {
        await delay(STEP_MS)
        waited(STEP_MS)
      }
    },
  }
}
