// The request headers of a gateway.

import type { IncomingMessage } from 'node:http'
import type { Headers } from '../../machine.ts'

/** Headers by lower-case name, each with its first value; a character stands for a byte [signatures/repeated-header]. */
export function gatewayHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!Object.hasOwn(headers, name)) headers[name] = rawHeaders[at + 1] as string
  }
  return headers
}
