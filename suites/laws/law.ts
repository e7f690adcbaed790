// A law: what the rules that it names demand of recorded traffic, as a pure function from a trace to what breaks them.

import { type Generation, holdsIn } from '../../spec/generations.ts'
import type { Place, Rule } from '../../spec/language.ts'
import { type RuleId, rules as allRules } from '../../spec/rules.ts'
import { both } from '../../spec/language.ts'
import type {
  Item,
  Trace,
  TracedExchange,
  TracedSocket,
} from '../../dist/emulator/session/index.js'

/** Where something is in a recording. */
export type Spot =
  | { readonly exchange: TracedExchange }
  | { readonly socket: TracedSocket; readonly item?: Item }
  | Readonly<Record<string, never>>

/** What breaks a law: where, and what came, as a sentence. */
export type Finding = { readonly at: Spot; readonly says: string }

/** What a law says of a trace: how many things it has looked at, and what broke it. */
export type Judged = { readonly seen: number; readonly findings: readonly Finding[] }

export type Law = {
  readonly rules: readonly RuleId[]
  readonly on: readonly Place[]
  readonly judge: (trace: Trace) => Judged
}

/** What a law says of a trace. Data of a form in which it cannot be read breaks it too. */
export function judged({ judge }: Law, trace: Trace): Judged {
  try {
    return judge(trace)
  } catch (error) {
    const says = `What the server sent cannot be read: ${String(error)}`
    return { seen: 1, findings: [{ at: {}, says }] }
  }
}

/** Whether all rules of a law hold at a place, in a generation. */
export const holdsAt = ({ on, rules }: Law, place: Place, generation: Generation): boolean =>
  on.includes(place) && rules.every((id) => holdsIn(generation, allRules[id] as Rule))

/** Where all of these rules hold. */
const placesOf = (ids: readonly RuleId[]): readonly Place[] =>
  [...both, 'gateway' as const].filter((place) =>
    ids.every((id) => (allRules[id] as Rule).on.includes(place)),
  )

/**
 * A law about each of some things. Without any of them, the recording does not show whether its rules are kept.
 * @param subjects the things.
 * @param judge what is wrong with one of them.
 */
export function law<Subject>(
  rules: RuleId | readonly RuleId[],
  subjects: (trace: Trace) => Iterable<Subject>,
  judge: (subject: Subject, trace: Trace) => readonly Finding[],
): Law {
  const ids: readonly RuleId[] = typeof rules === 'string' ? [rules] : rules
  return {
    rules: ids,
    on: placesOf(ids),
    judge: (trace) => {
      let seen = 0
      const findings: Finding[] = []
      for (const subject of subjects(trace)) {
        seen++
        findings.push(...judge(subject, trace))
      }
      return { seen, findings }
    },
  }
}

/** The longest text of a value in a sentence, in characters. */
const MAX_TEXT = 300

/** A value in a sentence. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  return json.length > MAX_TEXT ? `${json.slice(0, MAX_TEXT)}…` : json
}

/** A finding unless a condition holds. */
export const unless = (holds: boolean, at: Spot, says: () => string): readonly Finding[] =>
  holds ? [] : [{ at, says: says() }]

/** A finding if a value is not the expected one. The order of members counts, as it does on the wire. */
export const equal = (
  at: Spot,
  what: string,
  value: unknown,
  expected: unknown,
): readonly Finding[] =>
  unless(
    JSON.stringify(value) === JSON.stringify(expected),
    at,
    () => `${what}: expected ${shown(expected)}, received ${shown(value)}.`,
  )
