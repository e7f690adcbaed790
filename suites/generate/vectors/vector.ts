// A signed post as a sender creates it.

import type { SchemeName } from '../../../spec/gateway/signatures.ts'

export type SignatureVector = {
  readonly title: string
  /** The scheme that applies, or null if the gateway knows none. */
  readonly scheme: SchemeName | null
  readonly secret: string
  /** The body as text; its bytes are UTF-8, without a line break at its end. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly isValid: boolean
  /** The time of the gateway's clock, in seconds since 1970, if the scheme checks it. */
  readonly epochSeconds?: number
}
