// The replies of a gateway: outcomes and refusals of the spec with their placeholders filled in.

import type { Refusal } from '../../spec/language.ts'
import { gatewayRefusals, outcomes } from '../../spec/gateway/webhooks.ts'
import { type Json, writeJson } from '../lib/json.ts'
import { jsonHeaders, type Reply } from '../http/replies.ts'
import { finite } from './post/payload.ts'
import { inAscii } from './post/templates.ts'
import type { GatewayEffect } from './state/inputs.ts'

/** A reply whose body is a text. */
export type TextReply = Reply & { readonly body: string }

/** The effect that sends a reply to a request. */
export const replyEffect = (
  request: number,
  { status, headers, body }: TextReply,
): Extract<GatewayEffect, { kind: 'reply' }> => ({ kind: 'reply', request, status, headers, body })

export type RefusalName = keyof typeof gatewayRefusals
type AnswerName = keyof typeof outcomes | RefusalName
type Values = Readonly<Record<string, Json>>

/** A member of a JSON reply: the text before its value, and the value, which can be a single placeholder. */
type Member = { readonly before: string; readonly text: string; readonly place: string | undefined }

/** A reply template: its members, or its text. */
type Form = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly members: readonly Member[] | undefined
  readonly text: string
}

const all: Readonly<Record<string, Refusal>> = { ...outcomes, ...gatewayRefusals }
const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' }

const forms: ReadonlyMap<string, Form> = new Map(
  Object.entries(all).map(([name, { status, body, headers = {} }]): [string, Form] => {
    if (typeof body === 'object' && 'json' in body) {
      const members = parseMembers(body.json as Readonly<Record<string, string>>)
      return [name, { status, headers: { ...jsonHeaders, ...headers }, members, text: '' }]
    }
    const text = typeof body === 'string' ? '' : body.text
    return [name, { status, headers: { ...textHeaders, ...headers }, members: undefined, text }]
  }),
)

function parseMembers(json: Readonly<Record<string, string>>): readonly Member[] {
  return Object.entries(json).map(([member, text], at) => ({
    before: `${at === 0 ? '{' : ', '}${JSON.stringify(member)}: `,
    text,
    place: /^\{(\w+)\}$/.exec(text)?.[1],
  }))
}

/**
 * The reply to a post. `values` replace the placeholders; a member that is a single placeholder becomes the value
 * itself.
 * @param isPython writes ASCII only, and numbers that JSON does not allow.
 */
export function answer(name: AnswerName, values: Values = {}, isPython = false): TextReply {
  const { status, headers, members, text } = forms.get(name) as Form
  if (members === undefined)
    return { status, headers: filled(headers, values), body: fillText(text, values) }
  let body = ''
  for (const { before, text, place } of members) {
    const given = place === undefined ? fillText(text, values) : (values[place] ?? null)
    body += before + (isPython ? inAscii(writeJson(given)) : writeJson(finite(given)))
  }
  return { status, headers: filled(headers, values), body: `${body}}` }
}

/** The sentence of a refusal, for the log. */
export function refusalReason(name: RefusalName, values: Values): string {
  const [first] = forms.get(name)?.members ?? []
  return fillText(first?.text ?? '', values)
}

const fillText = (text: string, values: Values): string =>
  text.includes('{')
    ? text.replace(/\{(\w+)\}/g, (place, key: string) => {
        const value = values[key]
        return typeof value === 'string' ? value : place
      })
    : text

function filled(headers: Form['headers'], values: Values): Form['headers'] {
  // Most have no placeholder, and share one object.
  if (!Object.values(headers).some((text) => text.includes('{'))) return headers
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, fillText(text, values)]),
  )
}
