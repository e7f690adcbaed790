// What a command asks of a server: within the time limit of --timeout, and until the user stops the command.

import { usageError } from '../../options/usage.ts'
import { refused } from '../../lib/refused.ts'

/** What a timer can wait. */
const MAX_SECONDS = 2_000_000

/** The seconds of --timeout. */
export function timeoutOf(timeout: unknown = '60'): number {
  const seconds = Number(timeout)
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds
  throw usageError(`--timeout takes up to ${MAX_SECONDS} seconds, not ${String(timeout)}.`)
}

/** The refusal of a command that its user stops. */
export const stopped = (): Error => refused('Stopped.')

/** How long all answers may take, the signal of a command that can be stopped, and the refusal when the time is used up. */
type Limits = {
  readonly seconds: number
  readonly signal: AbortSignal | undefined
  readonly late: string
}

/** What `ask` learns before its signal is aborted. Throws a refusal where the time is used up, or the user stops. */
export async function inTime<T>(
  { seconds, signal, late }: Limits,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), seconds * 1000)
  try {
    return await ask(AbortSignal.any([limit.signal, signal ?? limit.signal]))
  } catch (error) {
    if (signal?.aborted === true) throw stopped()
    throw limit.signal.aborted ? refused(late) : error
  } finally {
    clearTimeout(timer)
  }
}

/** The same within --timeout, of a server that messages name as `shown`. */
export const askInTime = <T>(
  { shown, seconds, signal }: Omit<Limits, 'late'> & { readonly shown: string },
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const late = `${shown} has not said all within ${seconds} s. Give a longer --timeout.`
  return inTime({ seconds, signal, late }, ask)
}
