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

/** A server as messages name it, how long all of its answers may take, and the signal of a command that can be stopped. */
type Asked = {
  readonly shown: string
  readonly seconds: number
  readonly signal: AbortSignal | undefined
}

/** What `ask` learns before its signal is aborted. Throws a refusal where the time is used up, or the user stops. */
export async function askInTime<T>(
  { shown, seconds, signal }: Asked,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(seconds * 1000)
  try {
    return await ask(AbortSignal.any([limit, signal ?? limit]))
  } catch (error) {
    if (signal?.aborted === true) throw stopped()
    if (!limit.aborted) throw error
    throw refused(`${shown} has not said all within ${seconds} s. Give a longer --timeout.`)
  }
}
