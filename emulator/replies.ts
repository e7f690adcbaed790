// Builds replies: a status, headers and a body. Refusals come from the table in spec/errors.ts.

import { refusals } from '../spec/errors.ts'
import type { Refusal } from '../spec/language.ts'
import type { Body } from './machine.ts'

/** The answer to a request, before the edge adds Date, Server and the length. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8' }
const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' }
const noHeaders = {}

export const json = (text: string, status = 200): Reply => ({
  status,
  headers: jsonHeaders,
  body: text,
})

/** 200 without a body and without a content type. */
export const empty: Reply = { status: 200, headers: noHeaders, body: '' }

/** A refusal by its name; `headers` complete those of the table, `values` fill the places in its text. */
export function refuse(
  name: keyof typeof refusals,
  headers: Readonly<Record<string, string>> = noHeaders,
  values: Readonly<Record<string, string>> = {},
): Reply {
  const refusal: Refusal = refusals[name]
  const own = { ...refusal.headers, ...headers }
  if (typeof refusal.body === 'string') return { status: refusal.status, headers: own, body: '' }
  const body =
    'text' in refusal.body
      ? refusal.body.text.replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
      : JSON.stringify(refusal.body.json)
  return { status: refusal.status, headers: { ...textHeaders, ...own }, body }
}
