// Wrong use of the command line or of this package.

/** Wrong use of the command line or of this package: the message says what to do instead. */
export const usageError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'USAGE' })

/** A use that is wrong only in the present state: the same call can succeed at another time. */
export const conflictError = (message: string): Error =>
  Object.assign(usageError(message), { conflict: true })

export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'USAGE'

export const isConflict = (error: Error): boolean => 'conflict' in error
