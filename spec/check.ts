// The command `check`: its verdicts, why it skips a case, what an operator can allow, and how it ends.

/** What `check` says of a case on a server. */
export const verdicts = ['pass', 'fail', 'note', 'skip', 'fault'] as const
export type Verdict = (typeof verdicts)[number]

/** Why a case was not run. */
export const skipReasons = {
  'own-world': 'It needs a separate world, which only a server that the suites start has.',
  missing: 'The server does not have this part.',
  unseen:
    'It is about what becomes of a post, such as its agent run, which a gateway shows to no sender.',
  'no-workload':
    'The runs that it needs cannot be built from the node types that the server lists.',
  'not-allowed': 'It does what --allow has to permit.',
  'no-key': 'It needs a key that was not given.',
  'not-recorded': 'The recording contains nothing that the rule is about.',
  'not-made': 'It is about what an earlier request was to make, and that was refused or not sent.',
  budget: 'The runs were for other cases: see --max-runs.',
  time: 'The time is used up: see --max-seconds.',
  'not-done': 'The client never does what the duty is about.',
  'no-run': 'The client fails on a server on which nothing goes wrong.',
  slow: 'The server takes too long for the run that it needs.',
  busy: 'Somebody else used the server at the same time.',
} as const
export type SkipReason = keyof typeof skipReasons

/** What an operator can allow `check` to do. */
export const allowances = {
  global:
    'concern the work of others: interrupt without an id, clear the queue or the history, free memory',
  destructive:
    'change what stays: settings, users, files outside flowdouble-check/, installed nodes',
  paid: 'run nodes of partners, which cost money',
  slow: 'take long: more than 50 runs',
  heavy: 'send much: bodies of more than 8 MiB, and messages of more than 1 MiB',
} as const
export type Allowance = keyof typeof allowances

/** The exit codes of `check`. */
export const checkExitCodes = {
  asExpected: 0,
  ruleBroken: 1,
  wrongUsage: 2,
  staleBaseline: 3,
  ownFault: 4,
  notMeasured: 5,
} as const

/** What an operator says about a gateway that `check` judges. */
export type GatewayFacts = {
  readonly route: string
  readonly secret: string
  /** Another route, for what routes do not share. */
  readonly second?: { readonly route: string; readonly secret: string }
  /** An event that the route takes, if it filters events. */
  readonly event?: string
  /** Other routes with the same secret: one that takes only `event`, */
  readonly filtered?: string
  /** one that delivers directly, */
  readonly direct?: string
  /** and one whose direct deliveries fail. */
  readonly failing?: string
  /**
   * Whether cases may make routes over the control API, and read there what became of a post. `check` itself never asks for
   * it: a flowdouble is judged like any other gateway.
   */
  readonly hasControl?: true
  /** The scheme of posts that are not about signatures. */
  readonly scheme?: string
  /** How many posts the route accepts within 60 seconds, */
  readonly rateLimit?: number
  /** and the size of the largest body. */
  readonly maxBodyBytes?: number
}

/** A server elsewhere, and what may be done there. */
export type TargetOptions = {
  readonly url: string
  /** By default found by probing. */
  readonly deployment?: 'local' | 'hosted'
  readonly key?: string
  /** The key of another account, */
  readonly secondKey?: string
  /** and of one in the free tier. */
  readonly freeKey?: string
  /** The bearer token of a local server. */
  readonly token?: string
  /** The key with which partner nodes run. */
  readonly partnerKey?: string
  /** Further headers of each request. */
  readonly headers: Readonly<Record<string, string>>
  readonly allow: readonly Allowance[]
  readonly isReadOnly: boolean
  readonly maxRuns: number
}

/** Which seeded sessions are played. */
export type SessionOptions = {
  readonly sessions: number
  /** The seed of the first session; the others follow. */
  readonly seed: number
}

/** What `check` plays without further wishes. */
export const usualSessions: SessionOptions = { sessions: 3, seed: 1 }

/** Files of further reports. */
export type ReportFiles = {
  readonly junit?: string
  readonly html?: string
  readonly markdown?: string
  /** A page with a row for each server. */
  readonly results?: string
  /** For tools for static analysis. */
  readonly sarif?: string
}

/** What `check report` is asked to do: the files with events, in the order of the columns, and the reports to write. */
export type ReportOptions = ReportFiles & { readonly files: readonly string[] }

/** What `check` is asked to do. */
export type CheckOptions = Omit<TargetOptions, 'maxRuns'> &
  SessionOptions &
  ReportFiles & {
    /** By default what the stated rules need, or what `select` chooses. */
    readonly maxRuns?: number
    /** If the URL is that of a webhook gateway. */
    readonly gateway?: GatewayFacts
    readonly maxSeconds: number
    /** Which cases: globs of rule ids or areas, or tags; none for all. */
    readonly select: readonly string[]
    /** Only list the cases. */
    readonly isList: boolean
    /** Quirks and the named server whose behaviour is accepted. */
    readonly accept: readonly string[]
    readonly like?: string
    /** What the reports call the server; by default its address. */
    readonly name?: string
    readonly isJson: boolean
    /** Whether annotations of a workflow run are printed, too. */
    readonly hasAnnotations?: boolean
    /** The file of known failures, */
    readonly baseline?: string
    /** and whether it is written anew. */
    readonly isBaselineUpdate: boolean
    /** The file in which it is written down what `check` makes. */
    readonly ledger: string
  }

/** What `check --trace` is asked to do: how the recordings are judged, and which reports are written. */
export type TraceOptions = ReportFiles &
  Pick<
    CheckOptions,
    | 'deployment'
    | 'select'
    | 'accept'
    | 'like'
    | 'name'
    | 'isJson'
    | 'hasAnnotations'
    | 'baseline'
    | 'isBaselineUpdate'
  >

/** What `check --recording` is asked to do: a check whose cases are those of a recording. */
export type DriftOptions = CheckOptions & {
  /** Write the date into the recording if nothing has broken since. */
  readonly isUpdate: boolean
}

/** What `shrink` is asked to do: what the rest of a recording must show, and where it is written. */
export type ShrinkOptions = {
  /** It breaks this rule, */
  readonly rule?: string
  /** or this command ends with the same exit code. */
  readonly command?: string
  readonly out: string
}

/** What `diff` is asked to do: two servers, as `check` opens them, and the sessions that both play. */
export type DiffOptions = SessionOptions & {
  readonly a: TargetOptions
  readonly b: TargetOptions
  /** The time that it takes at most. */
  readonly maxSeconds: number
  readonly isJson: boolean
}
