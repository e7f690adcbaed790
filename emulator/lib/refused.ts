// Refusals: errors for valid requests that cannot be met. The message says why, and what to do instead.

/** An error for a command that cannot be carried out. The message is whole sentences and contains no secret. */
export const refused = (message: string): Error =>
  Object.assign(new Error(message), { code: 'REFUSED' })

export const isRefused = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'REFUSED'

/** A refusal because of a member of the options: the names and list positions that lead to it. */
export const refusedAt = (path: readonly (string | number)[], message: string): Error =>
  Object.assign(refused(message), { path })
