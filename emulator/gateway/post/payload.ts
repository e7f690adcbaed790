// Reads a post: its payload, event type and delivery id.

import { limits } from '../../../spec/limits.ts'
import { BoundError, isObject, type Json, readJsonWithin, writeJson } from '../../lib/json.ts'
import { headerText, jsonText, strictText, tokenText } from '../../lib/python-bytes.ts'
import type { Place, Scheme } from '../../../spec/gateway/signatures.ts'
import {
  eventHeaders,
  eventMembers,
  formField,
  pythonBounds,
  unknownEvent,
} from '../../../spec/gateway/webhooks.ts'
import type { Headers } from '../../machine.ts'
import { isTruthy } from '../../lib/python.ts'
import { headerIn, memberIn, textIn } from './schemes.ts'

const bounds = { depth: limits.webhookDepth.value, integerDigits: Infinity }

/** The payload of a body, which the caller checks for an object, and its text as the sender wrote it. */
export type Payload = { readonly value: Json; readonly written: string }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The decoder for the charset of a post; that of UTF-8 for one that is missing or unknown [webhooks/charset]. */
function decoderFor(headers: Headers): Pick<typeof utf8, 'decode'> {
  const [, charset = ''] =
    /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '') ?? []
  if (charset === '' || /^utf-?8$/i.test(charset)) return utf8
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    return utf8
  }
}

/** The payload of a post: the JSON of its body, or of a form field [webhooks/form-body]. */
export function parseBody(body: Uint8Array, headers: Headers): Payload | undefined {
  const text = orUndefined(() => decoderFor(headers).decode(body))
  if (text === undefined) return undefined
  const read = (written: string): Payload | undefined =>
    orUndefined(() => ({ value: readJsonWithin(written, bounds), written }))
  const found = read(text || '{}')
  if (found !== undefined) return found
  const field = orUndefined(() => readForm(text, formText))?.get(formField)
  return field === undefined ? undefined : read(field)
}

/** The fields of a form; the last value of a repeated name applies. */
function readForm(text: string, decode: (piece: string) => string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const piece of text.split('&')) {
    const cut = piece.indexOf('=')
    if (cut < 0 || cut === piece.length - 1) continue
    fields.set(decode(piece.slice(0, cut)), decode(piece.slice(cut + 1)))
  }
  return fields
}

/** Throws URIError for broken escapes. */
const formText = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** Represents a payload on which the reader of the reference gateway fails. */
export const undecodable = Symbol('undecodable')

/**
 * The payload as the reference gateway reads it: JSON in any Unicode encoding, any JSON value, and any form as texts.
 */
export function parseLoosely(body: Uint8Array): Payload | typeof undecodable | undefined {
  const text = jsonText(body)
  if (text === undefined) return undecodable
  try {
    return { value: readJsonWithin(text, pythonBounds), written: text }
  } catch (error) {
    if (error instanceof BoundError) return undecodable
    if (!(error instanceof SyntaxError)) throw error
  }
  const form = strictText(body)
  if (form === undefined) return undefined
  const value = readForm(form, looseText)
  return { value, written: writeJson(value) }
}

/** Escapes as Python reads them: a broken one stays as it is, and bytes that are not UTF-8 are replaced. */
const looseText = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
      looseDecoder.decode(
        Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16)),
      ),
    )
const looseDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The result of `read`, or undefined if it throws for this text. */
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

/** The rules for reading the headers of a post. */
export type HeaderRules = {
  /** Decodes bytes that are not UTF-8 like Python. */
  readonly isPython: boolean
  /** Accepts an empty header as an id, like the reference gateway. */
  readonly takesEmpty: boolean
  /** The headers that name a delivery id. */
  readonly idHeaders: readonly string[]
}

const headerValue = (headers: Headers, name: string | undefined, isPython: boolean) => {
  const value = name === undefined ? undefined : headers[name.toLowerCase()]
  return value === undefined ? undefined : isPython ? headerText(value) : tokenText(value)
}

const firstFilled = (headers: Headers, names: readonly string[]): string | undefined =>
  names.find((one) => headerIn(headers, one) !== '')

/** The event type of a post. In the payload it can be any JSON value that is not falsy. */
export function eventOf(
  headers: Headers,
  payload: Json,
  scheme: Scheme | undefined,
  isPython: boolean,
): Json {
  const named = headerValue(headers, firstFilled(headers, eventHeaders), isPython)
  if (named !== undefined) return named
  if (!isObject(payload)) return unknownEvent
  const own = scheme?.event && textAt(scheme.event, scheme, headers, payload)
  if (own !== undefined) return own
  const member = eventMembers.map((name) => payload.get(name)).find(isTruthy)
  return member ?? unknownEvent
}

/** The delivery id of a post; undefined without one. */
export function deliveryIdOf(
  headers: Headers,
  payload: Json,
  scheme: Scheme | undefined,
  rules: HeaderRules,
): string | undefined {
  // Proxies add ids of requests to a post: that of the sender comes first [webhooks/id-scheme].
  const own = scheme?.id && textAt(scheme.id, scheme, headers, payload)
  return own ?? headerIdOf(headers, rules)
}

/** The delivery id that the headers of a post name; undefined without one. */
export function headerIdOf(
  headers: Headers,
  { isPython, takesEmpty, idHeaders }: HeaderRules,
): string | undefined {
  const name = takesEmpty
    ? idHeaders.find((one) => headers[one.toLowerCase()] !== undefined)
    : firstFilled(headers, idHeaders)
  return headerValue(headers, name, isPython)
}

/** The text in a place of a post; undefined if it is missing or empty. */
function textAt(place: Place, scheme: Scheme, headers: Headers, payload: Json): string | undefined {
  const value =
    'member' in place ? memberIn(place.member, payload) : tokenText(textIn(place, scheme, headers))
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * A payload as JSON text in one line: as its sender wrote it, if that is one. Written anew are those that seem to contain a
 * number that JSON cannot represent, too.
 */
export function payloadText({ value, written }: Payload): string {
  if (!/[\n\r]|NaN|Infinity/.test(written)) return written
  return writeJson(finite(value))
}

/** Replaces numbers that JSON cannot represent (beyond a double, or not finite) by null. */
export function finite(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(finite)
  if (!isObject(value)) return value
  // Payloads rarely have one: most are used unchanged.
  let changed: Map<string, Json> | undefined
  for (const [key, member] of value) {
    const written = finite(member)
    if (written !== member) (changed ??= new Map(value)).set(key, written)
  }
  return changed ?? value
}
