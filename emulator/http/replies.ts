// Builds replies: a status, headers and a body. Refusals come from the table in spec/server/errors.ts.

import { hostedRefusals, linkRefusals, planRefusals, refusals } from '../../spec/server/errors.ts'
import type { Refusal } from '../../spec/language.ts'
import { oauthRefusals } from '../../spec/accounts/errors.ts'
import { routerRefusals } from '../../spec/router/errors.ts'
import { v2Refusals } from '../../spec/v2/errors.ts'
import { partnerRefusals } from '../../spec/partner/errors.ts'
import type { Body, FileFacts } from '../machine.ts'

/** The reply to a request, before the edge adds Date, Server and the length. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** The reason phrase, unless it is the default of the status. */
  readonly reason?: string
  /** Whether the HTTP layer replies: such a reply lacks the headers of other replies (see response-headers.ts). */
  readonly raised?: true
  /** The body is a file, which supports conditional requests and ranges. */
  readonly file?: FileFacts
  /** The body goes on after the reply: it is the beginning of a stream. */
  readonly stream?: true
  /** It is none yet: the reply comes later, with a timer. */
  readonly held?: true
}

type HeaderValues = Readonly<Record<string, string>>

/** The headers of all JSON replies without specific headers. */
export const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8' }
const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' }
const noHeaders: HeaderValues = {}

export const json = (text: string, status = 200): Reply => ({
  status,
  headers: jsonHeaders,
  body: text,
})

/** 200 without a body and without a content type. */
export const empty: Reply = { status: 200, headers: noHeaders, body: '' }
/** Stands for a reply that comes later. */
export const heldReply: Reply = { status: 0, headers: noHeaders, body: '', held: true }
/** 204. */
export const noContent: Reply = { status: 204, headers: noHeaders, body: '' }

/** A refusal by its name; `headers` are added to those of the table, `values` replace the placeholders in its text. */
export const refuse = (
  name: keyof typeof refusals,
  headers: HeaderValues = noHeaders,
  values: HeaderValues = {},
): Reply => refuseBy(refusals[name], headers, values)

/** A hosted refusal by its name; `values` replace the placeholders in its message. */
export const refuseHosted = (
  name: keyof typeof hostedRefusals,
  values: HeaderValues = {},
  headers: HeaderValues = noHeaders,
): Reply => refuseBy(hostedRefusals[name], headers, values)

/** The refusal of malformed or unacceptable input on hosted: 400, with a sentence that states why. */
export const badRequest = (reason: string): Reply => refuseHosted('badRequest', { reason })

/** A refusal of the host of signed links by its name; `values` replace the placeholders in its message. */
export const refuseLink = (name: keyof typeof linkRefusals, values: HeaderValues = {}): Reply =>
  refuseBy(linkRefusals[name], noHeaders, values)

/** A refusal of a hosted submit by its name. */
export const refuseByPlan = (name: keyof typeof planRefusals): Reply =>
  refuseBy(planRefusals[name], noHeaders, {})

/** A refusal of the proxy to partners by its name; `values` replace the placeholders in its message. */
export const refusePartner = (
  name: keyof typeof partnerRefusals,
  values: HeaderValues = {},
  headers: HeaderValues = noHeaders,
): Reply => refuseBy(partnerRefusals[name], headers, values)

/** The names of the refusals of the hosted API v2. */
export type V2Refusal = keyof typeof v2Refusals

/** A refusal of the hosted API v2 by its name; `details` are those of the error. */
export function refuseV2(
  name: V2Refusal,
  values: HeaderValues = {},
  details: unknown = null,
  headers: HeaderValues = noHeaders,
): Reply {
  const reply = refuseBy(v2Refusals[name], headers, values)
  if (details === null) return reply
  const { error } = JSON.parse(reply.body as string) as { error: object }
  const body = JSON.stringify({ error: Object.assign(error, { details }) })
  return Object.assign(reply, { body })
}

/** A refusal of OAuth by its name; `values` replace the placeholders in its message. */
export const refuseOauth = (
  name: keyof typeof oauthRefusals,
  values: HeaderValues = {},
  headers: HeaderValues = noHeaders,
): Reply => refuseBy(oauthRefusals[name], headers, values)

/** A refusal of the Router by its name; `values` replace the placeholders in its message. */
export const refuseRouter = (
  name: keyof typeof routerRefusals,
  values: HeaderValues = {},
  headers: HeaderValues = noHeaders,
): Reply => refuseBy(routerRefusals[name], headers, values)

const fillText = (text: string, values: HeaderValues): string =>
  text.replace(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place)

/** The reply of a refusal; `values` replace the placeholders in its text and in its headers. */
function refuseBy(refusal: Refusal, headers: HeaderValues, values: HeaderValues): Reply {
  const { status, reason, raised, headers: own } = refusal
  const more: { reason?: string; raised?: true } = {}
  if (reason !== undefined) more.reason = reason
  if (raised) more.raised = raised
  if (typeof refusal.body === 'string')
    return { status, headers: mergeHeaders(noHeaders, own, headers, values), body: '', ...more }
  if ('json' in refusal.body) {
    const body = JSON.stringify(refusal.body.json, (_, value: unknown) =>
      typeof value === 'string' ? fillText(value, values) : value,
    )
    return { status, headers: mergeHeaders(jsonHeaders, own, headers, values), body, ...more }
  }
  const body = fillText(refusal.body.text, values)
  return { status, headers: mergeHeaders(textHeaders, own, headers, values), body, ...more }
}

/** The headers of a refusal: those of its body, then its own with placeholders replaced, then further ones. */
function mergeHeaders(
  byBody: HeaderValues,
  own: HeaderValues | undefined,
  more: HeaderValues,
  values: HeaderValues,
): HeaderValues {
  if (own === undefined && more === noHeaders) return byBody
  const headers: Record<string, string> = Object.assign({}, byBody)
  for (const name in own) headers[name] = fillText(own[name] as string, values)
  return Object.assign(headers, more)
}
