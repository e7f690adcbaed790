// The input of the model for a run, and its output for a finished one.

/** What the only node of a run does. */
export type Work =
  | { readonly kind: 'slow'; readonly seconds: number; readonly steps: number }
  | { readonly kind: 'talk'; readonly text: string }
  | { readonly kind: 'fail' }

export type Submit = {
  readonly id: string
  readonly work: Work
  readonly client: string | null
  readonly number?: number
  readonly front: boolean
}

/** How a run ends; one that was removed never began. */
export type Outcome = 'success' | 'error' | 'interrupted' | 'removed'

/** What is stored about a finished run. */
export type RunEnd = {
  readonly outcome: Outcome
  readonly isCached: boolean
  isForgotten: boolean
}
