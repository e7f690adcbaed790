// The expected ways in which a run can fail, as errors that carry their outcome.

/** How a run ended; every value has its exit code in cli/run.ts. */
export type Outcome =
  | 'success'
  | 'failed'
  | 'refused'
  | 'interrupted'
  | 'usage'
  | 'unreachable'
  | 'protocol'
  | 'timeout'
  | 'stopped'

/**
 * What went wrong, as printed: `message` consists of whole sentences; the rest is present if known.
 */
export type RunError = {
  readonly type: string
  readonly message: string
  readonly node?: string
  readonly class_type?: string
  readonly traceback?: readonly string[]
  readonly node_errors?: Readonly<Record<string, unknown>>
}

export type Failure = Error & { readonly outcome: Outcome; readonly error: RunError }

/**
 * An error to throw; `runWorkflow` turns it into its result. `type` defaults to the name of the outcome;
 * `reasonOf` describes `cause`.
 */
export function failure(
  outcome: Outcome,
  message: string,
  details: Partial<RunError> = {},
  cause?: unknown,
): Failure {
  const error = { type: outcome, ...details, message }
  return Object.assign(new Error(message, { cause }), { outcome, error })
}

export function isFailure(value: unknown): value is Failure {
  return value instanceof Error && 'outcome' in value && 'error' in value
}

/** The reason in a failed system call or connection, in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.message
}
