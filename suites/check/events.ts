// The event stream of `flowdouble check`: what the runner says, and all that a report may know. It is also the format of `--json`.

import type { Allowance, SkipReason, Verdict } from '../../spec/check.ts'

export type { SkipReason, Verdict } from '../../spec/check.ts'

/** One request and its reply, or one socket message, as printed: secrets are already hidden. */
export type WireLine = {
  readonly atMs: number
  readonly direction: 'sent' | 'received'
  readonly text: string
}

export type Failure = {
  /** What was expected and what came, without colours. */
  readonly message: string
  /** What the rule allows. */
  readonly allowed?: string
  /** Around the first divergence, at most 20. */
  readonly wire: readonly WireLine[]
  /** A line that repeats the last request, with $FLOWDOUBLE_KEY for the key. */
  readonly curl?: string
  /** flowdouble check URL --rule ID ... */
  readonly command: string
  /** File with the smallest counterexample of a property. */
  readonly exchanges?: string
}

export type RuleInfo = {
  readonly id: string
  readonly says: string
  readonly basis: 'stated' | 'observed' | 'chosen'
}

export type TargetInfo = {
  /** The URL without user info, or --name. */
  readonly name: string
  readonly place: 'local' | 'hosted' | 'gateway'
  readonly generation: string
  readonly software: string | null
  /** Of a client: the deployments on which it is judged. */
  readonly deployments?: readonly ('local' | 'hosted')[]
  /** Set if recorded traffic was judged, and nothing was done on a server. */
  readonly recorded?: true
}

/** How many of the stated rules are judged, and by what the others would be: an option, or the reason why none does it. */
export type Share = {
  readonly judged: number
  readonly of: number
  readonly rest: readonly { readonly by: string; readonly rules: number }[]
}

/** What is wrong with the traffic of a case that failed. Failures with the same sentence have the same cause. */
export type Cause = {
  readonly says: string
  /** The rules about the very thing, */
  readonly rules: readonly string[]
  /** and the member that is wrong or missing. */
  readonly word?: string
}

/** One case title may carry several rules. */
export type CheckEvent =
  | {
      readonly event: 'start'
      readonly version: 1
      readonly target: TargetInfo
      readonly cases: number
      readonly startedAt: string
      /** What is planned on a server: how many runs at most, the share of the stated rules, and about how many files stay. */
      readonly plan?: {
        readonly maxRuns: number
        readonly stated: Share
        readonly files?: number
      }
    }
  | {
      readonly event: 'case'
      readonly title: string
      readonly area: string
      readonly place: 'local' | 'hosted' | 'gateway'
      readonly rules: readonly RuleInfo[]
      readonly verdict: Verdict
      readonly reason?: SkipReason
      readonly detail?: string
      readonly quirk?: string
      readonly durationMs: number
      /** How many runs it submitted, */
      readonly runs?: number
      /** how many files it has made that cannot be removed, about, */
      readonly files?: number
      /** and what it did that has to be allowed. */
      readonly needs?: readonly Allowance[]
      readonly failure?: Failure
      /** Why it failed, if its traffic shows it. */
      readonly cause?: Cause
      /** Set by reports: the case that a failure follows from, or how those are named that follow from this one. */
      readonly follows?: string
      readonly followers?: readonly string[]
      readonly baseline?: 'known' | 'stale'
    }
  | { readonly event: 'warning'; readonly text: string }
  | {
      readonly event: 'end'
      /** How many cases have each verdict. Failures of one cause count once; the others follow. */
      readonly counts: Readonly<Record<Verdict, number>> &
        Readonly<Partial<Record<'known' | 'stale' | 'follow', number>>>
      readonly runs: number
      readonly durationMs: number
      /** The share of the stated rules that was judged on a server. */
      readonly stated?: Share
      /** The named server that it resembles most. */
      readonly nearest?: { readonly like: string; readonly differs: readonly string[] }
      /** What could not be removed from the target. */
      readonly left: readonly string[]
      readonly exitCode: 0 | 1 | 2 | 3 | 4 | 5
      /** One sentence. */
      readonly outcome: string
    }

/** What became of a case, or what is planned for it: a reason if it is skipped. */
export type SharedCase = {
  readonly rules: readonly RuleInfo[]
  readonly reason?: SkipReason | undefined
  /** What it needs to be allowed. */
  readonly needs?: readonly Allowance[] | undefined
}
