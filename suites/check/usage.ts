// Wrong usage of a command: its door prints the message and ends with the exit code for it.

/** An error with the code USAGE, whose message says what is wrong. */
export const wrongUse = (message: string): Error =>
  Object.assign(new Error(message), { code: 'USAGE' })

export const isWrongUse = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'USAGE'
