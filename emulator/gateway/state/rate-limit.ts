// The rate limit: the times of accepted posts in the window of each route.

import { limits } from '../../../spec/limits.ts'
import type { GatewayScript } from '../../../spec/scenario/gateway.ts'

/** Times by route, oldest first; those before `head` have left the window. */
export type Rates = Map<string, { times: number[]; head: number }>

/** The posts that a scenario counts in advance [scenario/used-rate-limit]. */
export const ratesAtStart = ({ rateLimits = [] }: GatewayScript, nowMs: number): Rates =>
  new Map(
    rateLimits.map(({ route, used }) => [
      route,
      { times: Array<number>(used).fill(nowMs), head: 0 },
    ]),
  )

const windowMs = limits.webhookRateWindow.value * 1000
/** How many windows to keep before dropping empty ones. */
const MANY = 1000

/**
 * Counts a post to a route. Returns whether it is within the limit; a post beyond the limit does not count.
 * A post exactly one window ago still counts [webhooks/rate-limit].
 */
export function countPost(rates: Rates, route: string, limit: number, nowMs: number): boolean {
  if (rates.size >= MANY && !rates.has(route)) dropEmpty(rates, nowMs)
  const window = rates.get(route) ?? { times: [], head: 0 }
  rates.set(route, window)
  while ((window.times[window.head] ?? Infinity) < nowMs - windowMs) window.head++
  if (window.head > 64 && window.head * 2 > window.times.length) {
    window.times = window.times.slice(window.head)
    window.head = 0
  }
  if (window.times.length - window.head >= limit) return false
  window.times.push(nowMs)
  return true
}

/** Drops the windows of routes without recent posts: routes come and go with their file. */
function dropEmpty(rates: Rates, nowMs: number): void {
  for (const [route, { times }] of rates) {
    if ((times.at(-1) ?? -Infinity) < nowMs - windowMs) rates.delete(route)
  }
}
