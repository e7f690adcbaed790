// When a command that serves is to stop: with its signal, or with its standard input.

import type { Readable } from 'node:stream'

/** Resolves to 0 when the signal is aborted; never without a signal. */
export const untilAborted = (signal: AbortSignal | undefined): Promise<number> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve(0)
    signal?.addEventListener('abort', () => resolve(0), { once: true })
  })

/** Resolves to 0 when nothing more can be read, from a terminal or a pipe whose writer is gone. */
export const untilEnded = (input: Readable): Promise<number> =>
  new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve(0))
    input.resume()
  })
