// The pace at which runs end, from which follows when a refused sender tries again.

/** How many ends are remembered. */
const MANY = 32
/** The shortest and the longest advice, in seconds. */
const LEAST_S = 1
const MOST_S = 600
/** The advice before two runs have ended, in seconds. */
const UNKNOWN_S = 10

/** The times at which the latest runs ended, oldest first, in milliseconds. */
export type Pace = readonly number[]

/** Adds an end. */
export const withEnd = (pace: Pace, nowMs: number): Pace => [...pace.slice(1 - MANY), nowMs]

/** In how many seconds so many waiting runs will have had their turn, at this pace [deliveries/retry-after-pace]. */
export function secondsFor(pace: Pace, waiting: number): number {
  const [first, last] = [pace[0], pace.at(-1)]
  if (pace.length < 2 || first === undefined || last === undefined) return UNKNOWN_S
  const eachMs = (last - first) / (pace.length - 1)
  return Math.min(MOST_S, Math.max(LEAST_S, Math.ceil((waiting * eachMs) / 1000)))
}
