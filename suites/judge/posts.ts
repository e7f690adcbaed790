// The posts of the cases that run on any gateway: signed by their sender, and marked as a check. Whether a gateway accepts
// their signatures, and what becomes of those to routes that a case makes for itself over the control API.

import { type SchemeName, schemes } from '../../spec/gateway/signatures.ts'
import type { RouteSettings, SenderRoute } from '../generate/sender.ts'
import { headerBy, headersOf } from '../generate/senders.ts'
import { expect } from './expect.ts'
import type { Answer, GatewaySubject } from './gateway-subject.ts'

type Payload = Readonly<Record<string, unknown>> | string
type Headers = Readonly<Record<string, string>>

/** The text in each payload of such a case: a post can start the run of an agent. */
export const CHECK_TEXT = 'flowdouble-check: this is a test of the gateway, ignore this'

/** The statuses of a post that a gateway accepts; its delivery can fail. */
export const taken: readonly number[] = [200, 202, 502]

/** The body of a post that is not about bodies. */
export const payloadOf = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ text: CHECK_TEXT, ...more })

/** Members of a payload with a value at a path. */
export const nested = (path: string, value: unknown): Readonly<Record<string, unknown>> =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Readonly<
    Record<string, unknown>
  >

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
  readonly headers?: Headers
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
    ...(await signedBy(subject, { ...post, body, id })),
    ...(id !== null && { 'X-GitHub-Delivery': id }),
    ...headers,
  })
}

export const pathOf = (route: string): string => `/webhooks/${encodeURIComponent(route)}`

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
export const headerOf = (name: SchemeName): string => headerBy(schemes[name])

/** Ends the case on a gateway without this scheme. */
export function needs({ sender }: Pick<GatewaySubject, 'sender'>, name: SchemeName): void {
  if (!sender.schemes.includes(name)) sender.missing(`It does not accept the scheme ${name}.`)
}

/** The chat of such routes: nobody has it. */
export const CHAT = 'flowdouble-check'

/** The settings of a direct route to it. */
export const toChat = {
  deliver: 'telegram',
  deliver_extra: { chat_id: CHAT },
  deliver_only: true,
} as const

/** Makes a direct route to a chat, with this template. */
export const makeDirect = (
  { sender }: GatewaySubject,
  prompt: string,
  more: RouteSettings = {},
): Promise<SenderRoute> => sender.control.make({ prompt, ...toChat, ...more })

/** Makes a route that starts agent runs, whose answers go to a chat. */
export const makeRuns = (
  { sender }: GatewaySubject,
  prompt: string,
  more: RouteSettings = {},
): Promise<SenderRoute> => sender.control.make({ prompt, ...toChat, deliver_only: false, ...more })

/** Posts a payload, well signed and with a new id. */
export const postTo = (
  subject: GatewaySubject,
  to: SenderRoute,
  payload: Payload,
  headers: Headers = {},
): Promise<Answer> => {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return postAs(subject, { to, scheme: 'github', body, headers })
}

/** Posts payloads to a direct route with this template, and compares what it delivers with these texts. */
export async function delivers(
  subject: GatewaySubject,
  template: string,
  pairs: readonly (readonly [payload: Payload, text: string])[],
): Promise<void> {
  const to = await makeDirect(subject, template)
  for (const [at, [payload, text]] of pairs.entries()) {
    const { status } = await postTo(subject, to, payload)
    const texts = (await subject.sender.control.deliveries(to, at + 1)).map((one) => one.text)
    const found = { template, payload, status, count: texts.length, text: texts.at(-1) }
    expect(found).toEqual({ template, payload, status: 200, count: at + 1, text })
  }
}

/** A payload, */
export const container = '{"b": 1, "2": [], "1": {}, "a": [true, null, "x", {"c": [1.0]}]}'
/** and its rendered form. */
export const indented = `{
  "b": 1,
  "2": [],
  "1": {},
  "a": [
    true,
    null,
    "x",
    {
      "c": [
        1.0
      ]
    }
  ]
}`
