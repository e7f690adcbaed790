// The posts of the cases that run on any gateway: signed by their sender, and marked as a check.

import type { SchemeName } from '../../../spec/gateway/signatures.ts'
import { headersOf } from '../../generate/senders.ts'
import type { Answer, GatewaySubject } from '../gateway-subject.ts'
import type { SenderRoute } from '../../generate/sender.ts'

/** The text in each payload of such a case: a post can start the run of an agent. */
export const CHECK_TEXT = 'flowdouble-check: this is a test of the gateway, ignore this'

/** The statuses of a post that a gateway accepts; its delivery can fail. */
export const taken: readonly number[] = [200, 202, 502]

/** The body of a post that is not about bodies. */
export const payloadOf = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ text: CHECK_TEXT, ...more })

export type SenderPost = {
  readonly scheme?: SchemeName
  readonly to?: SenderRoute
  readonly body?: string | Uint8Array
  /** The secret with which it is signed, if it is not that of the route. */
  readonly secret?: string
  readonly timestamp?: string
  /** The delivery id; null for none. */
  readonly id?: string | null
  /** Headers that replace the others. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The body that {@link postAs} sends by default. */
export const usualBody = ({ sender }: Pick<GatewaySubject, 'sender'>): string =>
  payloadOf({ event_type: sender.event })

/** The headers of a post that is signed at this moment. */
export async function signedBy(
  subject: Pick<GatewaySubject, 'sender'>,
  { scheme = subject.sender.scheme, to, secret, ...more }: SenderPost = {},
): Promise<Record<string, string>> {
  const { sender } = subject
  const { body = usualBody(subject), timestamp = `${await sender.now()}` } = more
  return headersOf(scheme, {
    body,
    secret: secret ?? (to ?? sender).secret,
    timestamp,
    id: more.id ?? 'msg-1',
  })
}

/** Posts to a route: by default well signed, and with a new id. */
export async function postAs(
  subject: Pick<GatewaySubject, 'sender' | 'send'>,
  post: SenderPost = {},
): Promise<Answer> {
  const { sender, send } = subject
  const { to = sender, body = usualBody(subject), id = sender.newId(), headers = {} } = post
  return send('POST', pathOf(to.route), body, {
    ...(await signedBy(subject, { ...post, body })),
    ...(id !== null && { 'X-GitHub-Delivery': id }),
    ...headers,
  })
}

export const pathOf = (route: string): string => `/webhooks/${encodeURIComponent(route)}`
