// Servers with faults, for cases: their options, a wait for what reaches them, and whether their ports are open.

import { get } from 'node:http'
import type { EmulatorOptions, Entry } from 'flowdouble'
import type { Fault } from '../../spec/scenario/faults.ts'

/** A server with these faults, in this order. */
export const withFaults = (...faults: readonly Fault[]): EmulatorOptions => ({
  scenario: { version: 1, faults: [...faults] },
})

/** Observes the inputs of a server: a request without a response shows nothing else. */
export function watchInputs() {
  const waiting = new Set<(entry: Entry) => void>()
  const onEntry = (entry: Entry): void => waiting.forEach((look) => look(entry))
  /** Resolves with the next input of this kind. */
  const next = (kind: Entry['input']['kind']): Promise<void> =>
    new Promise((resolve) => {
      const look = ({ input }: Entry): void => {
        if (input.kind !== kind) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
    })
  return { onEntry, next }
}

/**
 * Whether the port of a server is open: it answers at its control paths even where the world resets all others. A child
 * of this process that has not begun its program yet shares a port which is closed here, and never answers.
 */
export const isOpen = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    // Without an agent, so that no older connection is used.
    get(`${new URL(url).origin}/_flowdouble/clock`, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(true))
    }).on('error', () => resolve(false))
  })
