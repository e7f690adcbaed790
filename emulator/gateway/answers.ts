// The answers of a gateway: outcomes and refusals of the spec with their places filled in.

import type { Refusal } from '../../spec/language.ts'
import { gatewayRefusals, outcomes } from '../../spec/gateway/webhooks.ts'
import { type Json, writeJson } from '../lib/json.ts'
import { json, type Reply } from '../http/replies.ts'
import { finite } from './payload.ts'

const all: Readonly<Record<string, Refusal>> = { ...outcomes, ...gatewayRefusals }

/** What a post is answered; `values` fill the places, a member that is a place and no more gets the value itself. */
export function answer(
  name: keyof typeof outcomes | keyof typeof gatewayRefusals,
  values: Readonly<Record<string, Json>> = {},
): Reply {
  const { status, body, headers: own = {} } = all[name] as Refusal
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (place, key: string) => {
      const value = values[key]
      return typeof value === 'string' ? value : place
    })
  if (typeof body === 'object' && 'json' in body) {
    const members = Object.entries(body.json as Readonly<Record<string, string>>)
    const filled = members.map(([member, text]): [string, Json] => {
      const key = /^\{(\w+)\}$/.exec(text)?.[1]
      return [member, key === undefined ? fill(text) : finite(values[key] ?? null)]
    })
    return json(writeJson(new Map(filled)), status)
  }
  const headers = Object.entries(own).map(([header, text]) => [header, fill(text)])
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...Object.fromEntries(headers) },
    body: typeof body === 'string' ? '' : body.text,
  }
}
