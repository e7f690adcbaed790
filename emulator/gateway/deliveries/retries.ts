// What follows a failed attempt to deliver an answer: another one after a pause, one as plain text, or none.

import { retries, retrySchedule, statusMeanings } from '../../../spec/gateway/deliveries.ts'
import { next32, type Random } from '../../lib/random.ts'
import type { DeliveryFailure } from '../state/inputs.ts'

/** What follows: an attempt after this pause, one as plain text, or nothing. */
export type NextAttempt = { readonly afterMs: number; readonly isPlain: boolean } | null

/** The attempt that failed, and who got it. */
export type FailedAttempt = {
  /** 1 for the first one. */
  readonly attempt: number
  readonly isPlain: boolean
  readonly failure: DeliveryFailure
  /** Whether whoever gets deliveries knows a repeat by its key. */
  readonly isKeyed: boolean
}

const includes = (list: readonly number[], one: number): boolean => list.includes(one)

/** The rows of the table of errors. */
const NETWORK = 0
const TIME_OUT = 1
const OTHER = 2

/** The row that matches an error. */
function rowOf(error: string): number {
  const text = error.toLowerCase()
  return retries.findIndex(({ contains }) => contains.some((part) => text.includes(part)))
}

/** What a failure means [deliveries/retry-network, deliveries/retry-final, deliveries/retry-plain]. */
function meaningOf(
  { error, status, retryAfterMs }: DeliveryFailure,
  isKeyed: boolean,
): 'again' | 'plain' | 'final' {
  if (status === undefined) {
    const row = rowOf(error)
    if (row === NETWORK || (row === TIME_OUT && isKeyed)) return 'again'
    return row === OTHER && !isKeyed ? 'plain' : 'final'
  }
  const { again, againFrom, againIfAsked, plain } = statusMeanings
  if (includes(again, status) || status >= againFrom) return 'again'
  if (includes(againIfAsked, status) && retryAfterMs !== undefined) return 'again'
  return includes(plain, status) && !isKeyed ? 'plain' : 'final'
}

/** Whether a target refuses even the plain text of an answer, so that a notice may be what it takes. */
export const isRefused = ({ isPlain, failure, isKeyed }: FailedAttempt): boolean =>
  isPlain && meaningOf(failure, isKeyed) === 'plain'

/** What follows a failed attempt; `random` is drawn from for each pause. */
export function nextAttempt(failed: FailedAttempt, random: Random): NextAttempt {
  const { attempt, isPlain, failure, isKeyed } = failed
  const meaning = meaningOf(failure, isKeyed)
  if (meaning === 'plain') return isPlain ? null : { afterMs: 0, isPlain: true }
  if (meaning === 'final' || attempt >= retrySchedule.attempts) return null
  return { afterMs: pauseMs(attempt, failure.retryAfterMs ?? 0, random), isPlain }
}

/** The pause after an attempt, in whole milliseconds [deliveries/retry-pauses, deliveries/retry-after]. */
function pauseMs(attempt: number, retryAfterMs: number, random: Random): number {
  const { firstMs, factor, longestMs, shorterBy, longestAskedMs } = retrySchedule
  const longMs = Math.min(firstMs * factor ** (attempt - 1), longestMs)
  const leastMs = Math.max(longMs * (1 - shorterBy), Math.min(retryAfterMs, longestAskedMs))
  const part = next32(random) / 2 ** 32
  return Math.min(Math.ceil(leastMs + longMs * shorterBy * part), longestAskedMs)
}

/** The same by the rules of the reference gateway, which goes by the text alone. */
export function nextAtReference({ attempt, isPlain, failure }: FailedAttempt): NextAttempt {
  const found = rowOf(failure.error)
  // A delivery that timed out may have arrived: it is never retried.
  if (found === TIME_OUT) return null
  // The first error decides about all attempts.
  const row = attempt === 1 ? found : isPlain ? OTHER : NETWORK
  const waits: readonly number[] = retries[row]?.afterMs ?? []
  const afterMs = waits[attempt - 1]
  return afterMs === undefined ? null : { afterMs, isPlain: row === OTHER }
}
