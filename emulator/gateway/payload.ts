// What a post says: its payload, its event type and its delivery id.

import { limits } from '../../spec/limits.ts'
import { isObject, type Json, type JsonObject, readJsonWithin } from '../lib/json.ts'
import type { SchemeName } from '../../spec/gateway/signatures.ts'
import {
  deliveryIdHeaders,
  deliveryIdMember,
  eventHeaders,
  eventMembers,
  formField,
  unknownEvent,
} from '../../spec/gateway/webhooks.ts'
import type { Headers } from '../machine.ts'
import { isTruthy } from '../lib/python.ts'
import { tokenText } from './signatures.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })
const bounds = { depth: limits.webhookDepth.value, integerDigits: Infinity }

/** The payload in a body; undefined where there is none. It need not be an object: that is for its reader to say. */
export type Parsed = Json | undefined

/**
 * The payload of a post: the JSON of its body, or of the field of a form [webhooks/form-body].
 * `takesFields` lets any form be a payload of texts, as the earlier gateway does.
 */
export function parseBody(body: Uint8Array, takesFields: boolean): Parsed {
  const text = orUndefined(() => decoder.decode(body))
  if (text === undefined) return undefined
  if (text === '') return new Map()
  const value = orUndefined(() => readJsonWithin(text, bounds))
  if (value !== undefined) return value
  const fields = orUndefined(() => readForm(text))
  if (takesFields) return fields ?? new Map()
  const payload = fields?.get(formField)
  return payload === undefined ? undefined : orUndefined(() => readJsonWithin(payload, bounds))
}

/** The fields of a form; of a name that comes twice the last one counts. Throws URIError for broken escapes. */
function readForm(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const piece of text.split('&')) {
    const cut = piece.indexOf('=')
    if (cut < 0 || cut === piece.length - 1) continue
    fields.set(formText(piece.slice(0, cut)), formText(piece.slice(cut + 1)))
  }
  return fields
}

const formText = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** What `read` gives, or undefined where the text is not what it reads. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    const isExpected =
      error instanceof SyntaxError || error instanceof TypeError || error instanceof URIError
    if (isExpected) return undefined
    throw error
  }
}

const firstHeader = (headers: Headers, names: readonly string[]): string | undefined => {
  const name = names.find((one) => (headers[one.toLowerCase()] ?? '') !== '')
  return name === undefined ? undefined : tokenText(headers[name.toLowerCase()] as string)
}

/** The event type of a post. Where the payload names it, it can be any JSON value that is not falsy. */
export function eventOf(headers: Headers, payload: JsonObject): Json {
  const named = firstHeader(headers, eventHeaders)
  if (named !== undefined) return named
  const member = eventMembers.map((name) => payload.get(name)).find(isTruthy)
  return member ?? unknownEvent
}

/** The id that a post brings; undefined where it brings none. */
export function deliveryIdOf(
  headers: Headers,
  payload: JsonObject,
  scheme: SchemeName | undefined,
): string | undefined {
  const id = firstHeader(headers, deliveryIdHeaders)
  if (id !== undefined || scheme !== deliveryIdMember.scheme) return id
  const member = payload.get(deliveryIdMember.member)
  return typeof member === 'string' && member !== '' ? member : undefined
}

/** A value whose numbers JSON can write: what is larger than a double, or no number, is null. */
export function finite(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(finite)
  if (!isObject(value)) return value
  // Hardly any payload has one: most are used as they are.
  let changed: Map<string, Json> | undefined
  for (const [key, member] of value) {
    const written = finite(member)
    if (written !== member) (changed ??= new Map(value)).set(key, written)
  }
  return changed ?? value
}
