// Ends a case on a server where it cannot be judged.

import type { SkipReason } from '../../spec/check.ts'

/** Thrown out of a case that cannot be judged on this server. */
export class Skip extends Error {
  readonly reason: SkipReason
  readonly detail: string

  constructor(reason: SkipReason, detail: string) {
    super(detail)
    this.reason = reason
    this.detail = detail
  }
}

/** Ends a case on a server that does not have what it is about. */
export const missing = (detail: string): Skip => new Skip('missing', detail)
