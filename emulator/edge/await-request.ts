// Waits in real time until a machine has received a request: a test that moves the clock must first know that its client
// has sent something.

import type { Received, ReceivedRequest } from '../journal/received.ts'
import { conflictError, usageError } from '../options/usage.ts'
import { requireLimit } from './clock-handle.ts'
import { MAX_TIMER_MS } from './driver.ts'
import type { WorldHandle } from './handles.ts'

/** The longest wait unless the caller sets another one, in milliseconds of real time. */
const USUAL_WAIT_MS = 5000

/** What a wait needs of a machine and its edge. */
export type RequestSource = {
  /** Calls back after each input and when the machine closes, until the returned function is called. */
  readonly watch: (changed: (isClosed: boolean) => void) => () => void
  /** The requests that it has received. */
  readonly received: () => Promise<Received<ReceivedRequest>>
}

export const awaitRequestOf =
  ({ watch, received }: RequestSource): WorldHandle['received'] =>
  async (expected = {}, limit = {}) => {
    requireLimit(limit)
    const { withinMs = USUAL_WAIT_MS } = limit
    const { times = 1, ...filter } = expected
    if (!Number.isSafeInteger(times) || times < 1)
      throw usageError('received waits for requests: times must be 1 or more.')
    const { matchesRequest, verify } = await import('../journal/received.ts')
    let isLate = false
    let hasClosed = false
    let proceed = (): void => undefined
    const unwatch = watch((isClosed) => {
      hasClosed ||= isClosed
      proceed()
    })
    const timer = setTimeout(
      () => {
        isLate = true
        proceed()
      },
      Math.min(withinMs, MAX_TIMER_MS),
    )
    try {
      for (;;) {
        // Inputs that arrive while the journal is read count as changes.
        const changed = new Promise<void>((resolve) => (proceed = resolve))
        const all = await received()
        const matching = all.items.filter((one) => matchesRequest(one, filter))
        const latest = matching.at(-1)
        if (latest !== undefined && matching.length >= times) return latest
        const { message } = verify(all, { ...filter, times })
        if (hasClosed)
          throw conflictError(`The server has closed: nothing more arrives. ${message}`)
        if (isLate) throw conflictError(lateText(message, withinMs))
        await changed
      }
    } finally {
      clearTimeout(timer)
      unwatch()
    }
  }

const lateText = (message: string, withinMs: number): string =>
  `Nothing more arrived within ${withinMs} milliseconds of real time. ${message}`
