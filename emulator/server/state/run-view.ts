// A run as an observer of the server sees it.

/** A run, in the queue or in the history. */
export type RunView = {
  readonly prompt_id: string
  readonly state: 'pending' | 'running' | 'success' | 'error' | 'interrupted'
  /** The account that submitted it; null on local. */
  readonly user: string | null
}
