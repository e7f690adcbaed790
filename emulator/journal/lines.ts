// A journal as lines of JSON: the options of a machine first, then each input with its effects. Written once for every
// machine; what its secrets are and how its inputs look, its format says.

import type { Entry, Machine } from '../machine.ts'
import { createRepeats } from './repeats.ts'

/** Returns the placeholder of a secret: equal secrets, equal placeholders. */
export type ToPlaceholder = (secret: string) => string

/** Writes the parts of a journal as values without secrets. */
export type JournalRedactor<O, I, E> = {
  readonly options: (options: O) => unknown
  readonly input: (input: I) => unknown
  readonly effect: (effect: E) => unknown
}

/** What the journal of a kind of machine is. `O` is what such a machine is made from. */
export type JournalFormat<O, I, E> = {
  /** What the first line begins with. */
  readonly version: string
  /** What such a machine is called in messages. */
  readonly machine: string
  /** The secrets that the options hold. */
  readonly secretsOf: (options: O) => readonly string[]
  /** @param secrets all that the machine ever knew. */
  readonly redactor: (
    secrets: readonly string[],
    toPlaceholder: ToPlaceholder,
  ) => JournalRedactor<O, I, E>
  /** An input as it is, of its value in a line. */
  readonly inputOf: (value: unknown) => I
  /** A new machine with the options of a journal. */
  readonly start: (options: O) => Machine<I, E>
}

/** The first line: what the machine was made from. */
export type Header<O> = {
  readonly flowdouble: string
  /** Number of the first entry that follows; above 0 the beginning is lost, and nothing can be replayed. */
  readonly first: number
  readonly options: O
}

export type LineWriter<O, I, E> = {
  /** @param first number of the first entry that follows. */
  readonly header: (options: O, first: number) => string
  readonly entry: (entry: Entry<I, E>) => string
}

/** Writes the lines of one journal, from its first on. A large body that an earlier line holds is named by that line. */
export function createLineWriter<O, I, E>(
  format: Pick<JournalFormat<O, I, E>, 'version' | 'redactor'>,
  secrets: readonly string[],
  toPlaceholder: ToPlaceholder,
): LineWriter<O, I, E> {
  const redact = format.redactor(secrets, toPlaceholder)
  const repeats = createRepeats()
  let next = 0
  const header = (options: O, first: number): string => {
    next = first
    return JSON.stringify({
      flowdouble: format.version,
      first,
      options: redact.options(options),
    })
  }
  const effect = (one: E, at: number): unknown => {
    const value = redact.effect(one)
    if (typeof value !== 'object' || value === null || !('body' in value)) return value
    const earlier = typeof value.body === 'string' ? repeats.find(value.body, at) : undefined
    return earlier === undefined ? value : { ...value, body: { sameAs: earlier } }
  }
  const entry = ({ input, effects }: Entry<I, E>): string => {
    const at = next++
    return JSON.stringify({
      input: redact.input(input),
      effects: effects.map((one) => effect(one, at)),
    })
  }
  return { header, entry }
}
