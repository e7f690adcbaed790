// Measures how late the timers of the process are: what waits behind the work of all worlds.

import { performance } from 'node:perf_hooks'
import { serverMetrics } from '../../../../spec/metrics.ts'
import { addDuration, type Durations, noDurations } from '../../../http/metrics-text.ts'

/** How often to measure, in milliseconds. */
const EVERY_MS = 100

export type LoopLag = {
  /** The lags since the first call, which begins to measure: a server that nobody reads has no timer. */
  readonly read: () => Durations
  readonly stop: () => void
}

export function createLoopLag(): LoopLag {
  const durations = noDurations(serverMetrics.lag)
  let timer: ReturnType<typeof setInterval> | undefined
  const start = (): void => {
    let dueMs = performance.now() + EVERY_MS
    timer = setInterval(() => {
      const nowMs = performance.now()
      addDuration(durations, serverMetrics.lag, Math.max(0, nowMs - dueMs) / 1000)
      dueMs = nowMs + EVERY_MS
    }, EVERY_MS)
    timer.unref()
  }
  return {
    read: () => {
      if (timer === undefined) start()
      return durations
    },
    stop: () => clearInterval(timer),
  }
}
