// A journal as lines of JSON: the options of a machine first, then each input with its effects. One implementation for
// all machines; a format defines their secrets and inputs.

import type { Entry, Machine } from '../machine.ts'
import type { Earlier, NumberedEntry } from './landmarks.ts'
import { createRepeats } from './repeats.ts'

/** Returns the placeholder of a secret: equal for equal secrets. */
export type ToPlaceholder = (secret: string) => string

/** Writes the parts of a journal as values without secrets. */
export type JournalRedactor<O, I, E> = {
  readonly options: (options: O) => unknown
  readonly input: (input: I) => unknown
  readonly effect: (effect: E) => unknown
}

/** The journal format of a kind of machine. `O` are the options of such a machine. */
export type JournalFormat<O, I, E> = {
  /** The start of the first line. */
  readonly version: string
  /** The name of such a machine in messages. */
  readonly machine: string
  /** The secrets in the options. */
  readonly secretsOf: (options: O) => readonly string[]
  /** @param secrets everything that the machine ever knew. */
  readonly redactor: (
    secrets: readonly string[],
    toPlaceholder: ToPlaceholder,
  ) => JournalRedactor<O, I, E>
  /** Restores an input from its value in a line. */
  readonly inputOf: (value: unknown) => I
  /** Creates a machine with the options of a journal. */
  readonly start: (options: O) => Machine<I, E>
}

/** The first line: the options of the machine. */
export type Header<O> = {
  readonly flowdouble: string
  /**
   * The number of the first entry that follows; if it is above 0, the beginning is lost and the journal cannot be
   * replayed.
   */
  readonly first: number
  readonly options: O
  /** What is known of the entries before the first one. */
  readonly earlier?: unknown
}

export type LineWriter<O, I, E> = {
  /**
   * @param first the number of the first entry that follows.
   * @param earlier what is known of the entries before it that were asked for.
   */
  readonly header: (options: O, first: number, earlier?: Earlier<I, E>) => string
  readonly entry: (entry: Entry<I, E>) => string
  /** The parts of an entry without secrets. */
  readonly redactInput: (input: I) => unknown
  readonly redactEffect: (effect: E) => unknown
}

/**
 * Writes the lines of one journal from the start. A large body that occurred before is replaced by a reference to its
 * line.
 * @param secrets what no line contains; more can be added later.
 */
export function createLineWriter<O, I, E>(
  format: Pick<JournalFormat<O, I, E>, 'version' | 'redactor'>,
  secrets: ReadonlySet<string>,
  toPlaceholder: ToPlaceholder,
): LineWriter<O, I, E> {
  let known = secrets.size
  let redactor = format.redactor([...secrets], toPlaceholder)
  const redact = (): typeof redactor => {
    if (secrets.size === known) return redactor
    known = secrets.size
    redactor = format.redactor([...secrets], toPlaceholder)
    return redactor
  }
  const repeats = createRepeats()
  let next = 0
  const redacted = ({ n, input, effects }: NumberedEntry<I, E>): unknown => ({
    n,
    input: redact().input(input),
    effects: effects.map((one) => redact().effect(one)),
  })
  const header: LineWriter<O, I, E>['header'] = (options, first, earlier) => {
    next = first
    return JSON.stringify({
      flowdouble: format.version,
      first,
      options: redact().options(options),
      ...(earlier && { earlier: { ...earlier, entries: earlier.entries.map(redacted) } }),
    })
  }
  const effect = (one: E, at: number): unknown => {
    const value = redact().effect(one)
    if (typeof value !== 'object' || value === null || !('body' in value)) return value
    const earlier = typeof value.body === 'string' ? repeats.find(value.body, at) : undefined
    return earlier === undefined ? value : { ...value, body: { sameAs: earlier } }
  }
  const entry = ({ input, effects }: Entry<I, E>): string => {
    const at = next++
    return JSON.stringify({
      input: redact().input(input),
      effects: effects.map((one) => effect(one, at)),
    })
  }
  return {
    header,
    entry,
    redactInput: (input) => redact().input(input),
    redactEffect: (one) => redact().effect(one),
  }
}
