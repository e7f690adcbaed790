// Wrong use of the command line or of this package.

/** Wrong use of the command line or of this package: the message says what to do instead, the stack who called. */
export function usageError(message: string): Error {
  const error = Object.assign(new Error(message), { code: 'USAGE' })
  if (error.stack !== undefined) error.stack = withoutOwnFrames(error.stack)
  return error
}

/** A stack without the frames of this package: the first frame, which is this file's, names its folder. */
function withoutOwnFrames(stack: string): string {
  const lines = stack.split('\n')
  const frame = lines.find((line) => line.startsWith('    at '))
  const own = /(?:\(|at )(\S*[\\/])[^\\/]*:\d+:\d+\)?$/.exec(frame ?? '')?.[1]
  return own === undefined ? stack : lines.filter((line) => !line.includes(own)).join('\n')
}

/** A use that is wrong only in the present state: the same call can succeed at another time. */
export const conflictError = (message: string): Error =>
  Object.assign(usageError(message), { conflict: true })

export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'USAGE'

export const isConflict = (error: Error): boolean => 'conflict' in error
