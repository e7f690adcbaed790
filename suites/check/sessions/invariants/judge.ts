// How an invariant is written down: a pure function from the log of a session to what is wrong in it.

import type { SessionLog } from '../log.ts'

/** What is wrong in a session, as sentences. */
export type Judge = (log: SessionLog) => readonly string[]

/** The longest text of a value in a sentence, in characters. */
const MAX_TEXT = 300

/** A value in a sentence. */
export function text(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  return json.length > MAX_TEXT ? `${json.slice(0, MAX_TEXT)}…` : json
}

/** A sentence if a value is not the expected one. */
export const equal = (what: string, value: unknown, expected: unknown): readonly string[] =>
  JSON.stringify(value) === JSON.stringify(expected)
    ? []
    : [`${what}: expected ${text(expected)}, received ${text(value)}.`]
