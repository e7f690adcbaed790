// The event stream of `flowdouble check`: what the runner says, and all that a report may know. It is also the format of
// `--json`, whose lines commands read again: the schemas say what a line must contain, and the types follow from them.
// Members that a later version adds are allowed.

import {
  type Allowance,
  allowances,
  type SkipReason,
  skipReasons,
  verdicts,
} from '../../spec/check.ts'
import { list, number, object, oneOf, optional, text, textOrNull } from '../../spec/schema.ts'
import type { Static } from '../../spec/static.ts'

export type { SkipReason, Verdict } from '../../spec/check.ts'

/** Nobody changes an event. */
type Fixed<T> = T extends object ? { readonly [Name in keyof T]: Fixed<T[Name]> } : T

const namesOf = <Name extends string>(names: Readonly<Record<Name, string>>) =>
  oneOf(...(Object.keys(names) as Name[]))

const place = oneOf('local', 'hosted', 'gateway')

/** One request and its reply, or one socket message, as printed: secrets are already hidden. */
const wireLine = object({ atMs: number, direction: oneOf('sent', 'received'), text })
export type WireLine = Fixed<Static<typeof wireLine>>

const failure = object({
  /** What was expected and what came, without colours. */
  message: text,
  /** What the rule allows. */
  allowed: optional(text),
  /** Around the first divergence, at most 20. */
  wire: list(wireLine),
  /** A line that repeats the last request, with $FLOWDOUBLE_KEY for the key. */
  curl: optional(text),
  /** flowdouble check URL --rule ID ... */
  command: text,
  /** File with the smallest counterexample of a property. */
  exchanges: optional(text),
})
export type Failure = Fixed<Static<typeof failure>>

const rule = object({ id: text, says: text, basis: oneOf('stated', 'observed', 'chosen') })
export type RuleInfo = Fixed<Static<typeof rule>>

/** How many of the stated rules are judged, and by what the others would be: an option, or the reason why none does it. */
const share = object({
  judged: number,
  of: number,
  rest: list(object({ by: text, rules: number })),
})
export type Share = Fixed<Static<typeof share>>

/** What is wrong with the traffic of a case that failed. Failures with the same sentence have the same cause. */
const cause = object({
  says: text,
  /** The rules about the very thing, */
  rules: list(text),
  /** and the member that is wrong or missing. */
  word: optional(text),
})
export type Cause = Fixed<Static<typeof cause>>

/** Each kind of event. */
export const eventSchemas = {
  start: object({
    event: oneOf('start'),
    version: oneOf(1),
    target: object({
      /** The URL without user info, or --name. */
      name: text,
      place,
      generation: text,
      software: textOrNull,
      /** Of a client: the deployments on which it is judged. */
      deployments: optional(list(oneOf('local', 'hosted'))),
      /** Set if recorded traffic was judged, and nothing was done on a server. */
      recorded: optional(oneOf(true)),
    }),
    cases: number,
    startedAt: text,
    /** What is planned on a server: how many runs at most, the share of the stated rules, and about how many files stay. */
    plan: optional(object({ maxRuns: number, stated: share, files: optional(number) })),
  }),
  case: object({
    event: oneOf('case'),
    title: text,
    area: text,
    place,
    /** One case may carry several rules. */
    rules: list(rule),
    verdict: oneOf(...verdicts),
    reason: optional(namesOf(skipReasons)),
    detail: optional(text),
    quirk: optional(text),
    durationMs: number,
    /** How many runs it submitted, */
    runs: optional(number),
    /** how many files it has made that cannot be removed, about, */
    files: optional(number),
    /** and what it did that has to be allowed. */
    needs: optional(list(namesOf(allowances))),
    failure: optional(failure),
    /** Why it failed, if its traffic shows it. */
    cause: optional(cause),
    /** Set by reports: the case that a failure follows from, or how those are named that follow from this one. */
    follows: optional(text),
    followers: optional(list(text)),
    baseline: optional(oneOf('known', 'stale')),
  }),
  warning: object({
    event: oneOf('warning'),
    text,
    /** Where it is: the line of a stale entry in its baseline. */
    file: optional(text),
    line: optional(number),
  }),
  end: object({
    event: oneOf('end'),
    /** How many cases have each verdict. Failures of one cause count once; the others follow. */
    counts: object({
      pass: number,
      fail: number,
      note: number,
      skip: number,
      fault: number,
      known: optional(number),
      stale: optional(number),
      follow: optional(number),
    }),
    runs: number,
    durationMs: number,
    /** The share of the stated rules that was judged on a server. */
    stated: optional(share),
    /** The named server that it resembles most. */
    nearest: optional(object({ like: text, differs: list(text) })),
    /** What could not be removed from the target. */
    left: list(text),
    exitCode: oneOf(0, 1, 2, 3, 4, 5),
    /** One sentence. */
    outcome: text,
  }),
}

export type CheckEvent = {
  [Kind in keyof typeof eventSchemas]: Fixed<Static<(typeof eventSchemas)[Kind]>>
}[keyof typeof eventSchemas]
export type EventOf<Kind extends CheckEvent['event']> = Extract<CheckEvent, { event: Kind }>
export type CaseEvent = EventOf<'case'>

/** What became of a case, or what is planned for it: a reason if it is skipped. */
export type SharedCase = {
  readonly rules: readonly RuleInfo[]
  readonly reason?: SkipReason | undefined
  /** What it needs to be allowed. */
  readonly needs?: readonly Allowance[] | undefined
}
