// Whether any gateway accepts the signature of a post.

import { type SchemeName, schemes } from '../../../spec/gateway/signatures.ts'
import { expect } from '../expect.ts'
import type { GatewaySubject } from '../gateway-subject.ts'
import { pathOf, taken, usualBody } from './posts.ts'

type Headers = Readonly<Record<string, string>>
/** What is posted with the headers, by default the usual body to the route of the sender. */
type Sent = { readonly body?: string; readonly route?: string }

/** Demands of a post with these headers that its signature is accepted, or that it is refused. */
export async function judges(
  subject: GatewaySubject,
  isAccepted: boolean,
  headers: Headers,
  { body = usualBody(subject), route = subject.sender.route }: Sent = {},
): Promise<void> {
  // With an id that is known it starts no further run.
  const id = { 'X-GitHub-Delivery': subject.sender.knownId }
  const reply = await subject.send('POST', pathOf(route), body, { ...headers, ...id })
  if (reply.status === 401) expect(reply.json()).toEqual({ error: 'Invalid signature' })
  else expect(taken).toContain(reply.status)
  const sent = { headers, body }
  expect({ ...sent, isAccepted: reply.status !== 401 }).toEqual({ ...sent, isAccepted })
}

type Judge = (subject: GatewaySubject, headers: Headers, sent?: Sent) => Promise<void>

/** Demands that a post with these headers is accepted, */
export const accepts: Judge = (subject, ...sent) => judges(subject, true, ...sent)
/** or that it is refused. */
export const refuses: Judge = (subject, ...sent) => judges(subject, false, ...sent)

/** The header with the signature of a scheme. */
export const headerOf = (name: SchemeName): string =>
  name === 'token' ? 'X-Acme-Token' : schemes[name].signature

/** Ends the case on a gateway without this scheme. */
export function needs({ sender }: Pick<GatewaySubject, 'sender'>, name: SchemeName): void {
  if (!sender.schemes.includes(name)) sender.missing(`It does not accept the scheme ${name}.`)
}
