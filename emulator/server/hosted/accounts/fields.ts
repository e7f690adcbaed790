// Reads the JSON objects that clients send about their account: 400 for other bodies, 422 for wrong members.

import { copyText, isObject, type Json, type JsonObject, numberOf } from '../../../lib/json.ts'
import { badRequest, refuseHosted, type Reply } from '../../../http/replies.ts'
import { bodyJson, type Request } from '../../../http/requests.ts'

/** What is wrong with a member, as the end of a sentence; undefined if it is valid. It is undefined if it is missing. */
export type Check = (value: Json | undefined) => string | undefined
export type Checks = Readonly<Record<string, Check>>

export const isText: Check = (value) => (typeof value === 'string' ? undefined : 'a text')
export const isAnObject: Check = (value) => (isObject(value) ? undefined : 'an object')
export const isPositive: Check = (value) => {
  const number = numberOf(value) ?? 0
  return Number.isSafeInteger(number) && number > 0 ? undefined : 'a positive integer'
}
export const isTexts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? undefined
    : 'a list of texts'
export const isOneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value) ? undefined : `one of ${words.join(', ')}`
export const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value)

/** The body of a request if its members are valid, or the refusal. */
export function readFields(request: Request, checks: Checks): JsonObject | Reply {
  const body = bodyJson(request)
  if (!isObject(body)) return badRequest('The body is not a JSON object.')
  for (const [name, check] of Object.entries(checks)) {
    const expected = check(body.get(name))
    if (expected !== undefined)
      return refuseHosted('fields', { reason: `${name} has to be ${expected}.` })
  }
  return body
}

/** A text of a body that is kept; null if it is missing. */
export function keptText(body: JsonObject, name: string): string | null {
  const value = body.get(name)
  return typeof value === 'string' ? copyText(value) : null
}
