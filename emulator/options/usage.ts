// Wrong use of the command line or of this package.

/** Wrong use of the command line or of this package: the message says what to do instead. */
export const usageError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'USAGE' })

export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'USAGE'
