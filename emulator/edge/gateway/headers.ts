// The request headers that a gateway reads. No other header reaches it or its journal.

import type { IncomingMessage } from 'node:http'
import { type Scheme, schemes, tokenHeader } from '../../../spec/gateway/signatures.ts'
import { deliveryIdHeaders, eventHeaders } from '../../../spec/gateway/webhooks.ts'
import type { Headers } from '../../machine.ts'

const signing = Object.values<Scheme>(schemes).flatMap(
  ({ selectedBy, signature, id = '', timestamp = '' }) =>
    selectedBy.concat(signature, id, timestamp),
)
const looked = new Set(
  [...signing, ...eventHeaders, ...deliveryIdHeaders].map((name) => name.toLowerCase()),
)

/** Headers by lower-case name, each with its first value; a character stands for a byte [signatures/repeated-header]. */
export function gatewayHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (Object.hasOwn(headers, name)) continue
    if (looked.has(name) || tokenHeader.test(name)) headers[name] = rawHeaders[at + 1] as string
  }
  return headers
}
