// Where a post comes from: the address of its client, and what a proxy says of the one behind it.

import type { Headers } from '../../machine.ts'

/** An address is a fact of each request; what a header says of it is a claim, and is only logged. */
export type Origin = { readonly address: string; readonly forwarded_for: string | null }

/** The longest part of the header that is kept, in characters. */
const MAX_FORWARDED = 200

/** The origin of a request; undefined if its edge knows no addresses. */
export function originOf(address: string | undefined, headers: Headers): Origin | undefined {
  if (address === undefined) return undefined
  const claimed = headers['x-forwarded-for']?.trim()
  return { address, forwarded_for: claimed ? claimed.slice(0, MAX_FORWARDED) : null }
}
