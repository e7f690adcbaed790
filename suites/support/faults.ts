// Servers with faults, for cases: their options, and a wait for what reaches them.

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
