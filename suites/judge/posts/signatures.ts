// Whether any gateway accepts the signature of a post.

import { type SchemeName, schemes } from '../../../spec/gateway/signatures.ts'
import { expect } from '../expect.ts'
import type { GatewaySubject } from '../gateway-subject.ts'
import { pathOf, taken } from './posts.ts'

type Headers = Readonly<Record<string, string>>

/** Whether a post with these headers is accepted; one with a known id starts no further run. */
export async function isIn(
  { send, sender }: GatewaySubject,
  headers: Headers,
  body: string,
): Promise<boolean> {
  const id = { 'X-GitHub-Delivery': sender.knownId }
  const reply = await send('POST', pathOf(sender.route), body, { ...headers, ...id })
  if (reply.status === 401) expect(reply.json()).toEqual({ error: 'Invalid signature' })
  else expect(taken).toContain(reply.status)
  return reply.status !== 401
}

/** Demands that a post with these headers is refused. */
export async function refuses(
  subject: GatewaySubject,
  headers: Headers,
  body: string,
): Promise<void> {
  expect({ headers, body, isAccepted: await isIn(subject, headers, body) }).toEqual({
    headers,
    body,
    isAccepted: false,
  })
}

/** The header with the signature of a scheme. */
export const headerOf = (name: SchemeName): string =>
  name === 'token' ? 'X-Acme-Token' : schemes[name].signature
