// Reads a post: its payload, event type and delivery id.

import { limits } from '../../spec/limits.ts'
import { isObject, type Json, readJsonWithin, writeJson } from '../lib/json.ts'
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

/** The payload of a body; undefined if it is invalid. The caller checks whether it is an object. */
export type Parsed = Json | undefined

/** The payload of a post: the JSON of its body, or of a form field [webhooks/form-body]. */
export function parseBody(body: Uint8Array): Parsed {
  const text = orUndefined(() => decoder.decode(body))
  if (text === undefined) return undefined
  if (text === '') return new Map()
  const value = orUndefined(() => readJsonWithin(text, bounds))
  if (value !== undefined) return value
  const payload = orUndefined(() => readForm(text, formText))?.get(formField)
  return payload === undefined ? undefined : orUndefined(() => readJsonWithin(payload, bounds))
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

/** Marks bytes that the decoder of the reference gateway rejects. */
export const undecodable = Symbol('undecodable')

/** The payload as the reference gateway reads it: JSON in UTF-8 or UTF-16 of any type, and any form as texts. */
export function parseLoosely(body: Uint8Array): Parsed | typeof undecodable {
  const text = orUndefined(() => new TextDecoder(encodingOf(body), { fatal: true }).decode(body))
  if (text === undefined) return undecodable
  if (text === '') return new Map()
  const value = orUndefined(() => readJsonWithin(text, bounds))
  if (value !== undefined) return value
  const form = orUndefined(() => decoder.decode(body))
  return form === undefined ? undefined : readForm(form, looseText)
}

/** The encoding of JSON, from its byte order mark, or from the position of zero bytes. */
function encodingOf([a, b, c, d]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && (c !== 0 || d !== 0))) return 'utf-16le'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && b !== undefined)) return 'utf-16be'
  return 'utf-8'
}

/** Decodes escapes like Python: keeps invalid ones, and replaces bytes that are not UTF-8. */
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

const firstHeader = (headers: Headers, names: readonly string[]): string | undefined => {
  const name = names.find((one) => (headers[one.toLowerCase()] ?? '') !== '')
  return name === undefined ? undefined : tokenText(headers[name.toLowerCase()] as string)
}

/** The same, but an empty header counts as present. */
const presentHeader = (headers: Headers, names: readonly string[]): string | undefined => {
  const name = names.find((one) => headers[one.toLowerCase()] !== undefined)
  return name === undefined ? undefined : tokenText(headers[name.toLowerCase()] as string)
}

/** The event type of a post. From the payload, it can be any JSON value that is not falsy. */
export function eventOf(headers: Headers, payload: Json): Json {
  const named = firstHeader(headers, eventHeaders)
  if (named !== undefined) return named
  if (!isObject(payload)) return unknownEvent
  const member = eventMembers.map((name) => payload.get(name)).find(isTruthy)
  return member ?? unknownEvent
}

/**
 * The id of a post; undefined without one.
 * @param takesEmpty whether an empty header is an id, as in the reference gateway.
 */
export function deliveryIdOf(
  headers: Headers,
  payload: Json,
  scheme: SchemeName | undefined,
  takesEmpty: boolean,
): string | undefined {
  const id = takesEmpty
    ? presentHeader(headers, deliveryIdHeaders)
    : firstHeader(headers, deliveryIdHeaders)
  if (id !== undefined || scheme !== deliveryIdMember.scheme || !isObject(payload)) return id
  const member = payload.get(deliveryIdMember.member)
  return typeof member === 'string' && member !== '' ? member : undefined
}

/** A payload as JSON text. Hardly any has a number that JSON cannot write: only one that seems to is looked through. */
export function payloadText(payload: Json): string {
  const text = writeJson(payload)
  return /NaN|Infinity/.test(text) ? writeJson(finite(payload)) : text
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
