// What a message on the socket says of its run: that it has started, or how it ended.

/** How a run ended, by the message that says so. */
export const endings = {
  execution_success: 'success',
  execution_error: 'error',
  execution_interrupted: 'interrupted',
} as const

export type RunState = 'started' | (typeof endings)[keyof typeof endings]

/** The state that a message announces for its run; null for none. */
export function stateIn(
  type: unknown,
  { node, exception_type }: Readonly<Record<string, unknown>>,
): RunState | null {
  if (type === 'execution_start') return 'started'
  if (type === 'executing') return node === null ? 'success' : null
  // An error of a blocked output does not end its run.
  if (exception_type === 'ExecutionBlocked' || typeof type !== 'string') return null
  return Object.hasOwn(endings, type) ? endings[type as keyof typeof endings] : null
}
