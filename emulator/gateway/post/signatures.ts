// Validates the signature of a post, driven by the table of schemes in the spec.

import { base64SecretPrefix, type Scheme } from '../../../spec/gateway/signatures.ts'
import type { Headers } from '../../machine.ts'
import { isEqual } from '../../lib/equal.ts'
import type { Json } from '../../lib/json.ts'
import { toInt } from '../../lib/python.ts'
import { headerText, isUtf8 } from '../../lib/python-bytes.ts'
import {
  hasHeader,
  itemsOf,
  type NamedScheme,
  numberIn,
  schemeByHeader,
  schemesByHeader,
  signaturesIn,
  textIn,
} from './schemes.ts'
import {
  type Hmac,
  type KeyRules,
  portableHmac,
  secretHeader,
  signatureOf,
  signingKeys,
  signsPart,
} from './sign.ts'

/** The parts of a post that its signature covers. A character of a header stands for a byte. */
export type SignedParts = {
  readonly headers: Headers
  /** What was sent, or what it was before it was packed. */
  readonly body: Uint8Array
  /** The address to which the sender posts. */
  readonly url: string
}

/** What is wrong with the signature of a post: the scheme, if any, and the reason. */
export type SignatureFault = { readonly fault: string }

/** Thrown if a gateway with these rules fails on the bytes of a header. */
export const crashed = new TypeError('A header is not UTF-8.')

/** The rules for reading signatures. */
export type SignatureRules = KeyRules & {
  /** Leaves out the schemes that the reference gateway of July 2026 does not understand. */
  readonly isEarlier: boolean
  /** Reads times and spaces like Python, and accepts an empty key. */
  readonly isLenient: boolean
  /** Fails on headers that are not UTF-8, with `crashed`. */
  readonly crashes: boolean
}

/**
 * The scheme of a valid signature with the secret, or the fault. A time in the payload is for `payloadTimeFault`.
 * @param named the only scheme that the route accepts; null if its headers select one.
 * @param nowMs the time in milliseconds since 1970, with which signed times are compared.
 * Throws `crashed` if the gateway does.
 */
export function verify(
  post: SignedParts,
  secret: string,
  named: NamedScheme | null,
  nowMs: number,
  manner: SignatureRules,
  hmac: Hmac = portableHmac,
): NamedScheme | SignatureFault {
  if (secret === '') return { fault: 'the route has no secret' }
  const found = named ?? schemeByHeader(post.headers, manner.isEarlier)
  if (found === undefined) return { fault: unsignedFault(post.headers, manner) }
  const { name, scheme } = found
  const fault =
    headerTimeFault(scheme, post.headers, nowMs, manner) ??
    signatureFault(post, scheme, secret, manner, hmac)
  return fault === undefined
    ? found
    : { fault: `${name} (${scheme.header}): ${fault}${otherSignatures(scheme, post.headers)}` }
}

/** The longest list of header names in a fault. */
const MAX_NAMES = 30

/** What a post without a signature has instead: the names of its headers, and no value. */
function unsignedFault(headers: Headers, { isEarlier }: SignatureRules): string {
  const names = Object.keys(headers).toSorted()
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : []
  const known = schemesByHeader(isEarlier).map(({ scheme }) => scheme.header)
  return (
    `no header of a known scheme: it has ${[...names.slice(0, MAX_NAMES), ...more].join(', ') || 'none'}; ` +
    `known are ${[...new Set(known)].join(', ')}`
  )
}

function signatureFault(
  post: SignedParts,
  scheme: Scheme,
  secret: string,
  manner: SignatureRules,
  hmac: Hmac,
): string | undefined {
  const { headers, body, url } = post
  const { algorithm } = scheme
  const values = signaturesIn(scheme, headers)
  if (algorithm === 'none') {
    const expected = secretHeader(scheme, secret)
    if (values.length === 0) return 'the header is missing'
    return hasOne(values, [expected], manner) ? undefined : 'not the secret'
  }
  const id = partText(scheme, 'id', headers)
  if (id === '') return `${nameOfPart(scheme, 'id')} is missing`
  const [value = ''] = values
  if (value === '') return 'the signature is missing'
  const parts = { body, url, id: id ?? '', time: partText(scheme, 'time', headers) ?? '' }
  const expected = signingKeys(secret, scheme, manner).map((key) =>
    signatureOf(scheme, algorithm, parts, key, hmac),
  )
  if (expected.length === 0) return `the secret after ${base64SecretPrefix} is not base64`
  if (manner.crashes && id !== undefined && !isUtf8(id)) throw crashed
  return hasOne(offeredSignatures(scheme, value, manner), expected, manner)
    ? undefined
    : formFault(scheme, value, expected[0] ?? '')
}

/** What a signature that does not match lacks, if its form shows it: the prefix, or another encoding. */
function formFault({ separator, prefix }: Scheme, value: string, expected: string): string {
  const items = itemsOf(value, separator)
  if (!items.some((item) => item.startsWith(prefix)))
    return `${JSON.stringify(prefix)} is missing in front of the signature`
  const forms = items.filter((item) => item.startsWith(prefix)).map((item) => formOf(item, prefix))
  const form = formOf(expected, prefix)
  return forms.includes(form)
    ? 'the signature does not match'
    : `the signature does not match: it is ${forms[0]}, not ${form}`
}

/** The form of a signature behind its prefix. */
function formOf(signature: string, prefix: string): string {
  const text = signature.slice(prefix.length)
  const digits = text.length === 1 ? '1 character' : `${text.length} characters`
  if (/^[0-9a-f]+$/.test(text)) return `${digits} of lower-case hex`
  if (/^[0-9A-Fa-f]+$/.test(text)) return `${digits} of hex with capitals`
  return /^[\w+/-]+=*$/.test(text) ? `${digits} of base64` : digits
}

/** Headers that look as if they signed a post. */
const looksSigned = /sign|hmac|token|authorization|digest|secret/

/** The headers of a post that look like signatures, besides that of a scheme: names only. */
function otherSignatures(scheme: Scheme, headers: Headers): string {
  const names = Object.keys(headers).filter(
    (name) => looksSigned.test(name) && !hasHeader(scheme, name),
  )
  return names.length === 0
    ? ''
    : `; it also has ${names.toSorted().slice(0, MAX_NAMES).join(', ')}`
}

/** The text of a part that a scheme signs, as it stands in a header; undefined if it does not sign it. */
function partText(scheme: Scheme, part: 'id' | 'time', headers: Headers): string | undefined {
  const place = scheme[part]
  return place !== undefined && signsPart(scheme, part) ? textIn(place, scheme, headers) : undefined
}

const nameOfPart = (scheme: Scheme, part: 'id' | 'time'): string =>
  Object.values(scheme[part] ?? {}).join()

function hasOne(
  offered: readonly string[],
  expected: readonly string[],
  { crashes }: SignatureRules,
): boolean {
  return offered.some((one) => {
    if (crashes && !isUtf8(one)) throw crashed
    return expected.some((right) => isEqual(one, right))
  })
}

/** Any Unicode spaces in UTF-8, a character for each byte. */
const anyBlanks =
  /(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+/

/** The signatures in the value of a header: there can be several. */
function offeredSignatures(
  { separator, prefix }: Scheme,
  value: string,
  { isLenient }: SignatureRules,
): readonly string[] {
  if (separator === undefined) return [value]
  const items = separator === ' ' && isLenient ? value.split(anyBlanks) : itemsOf(value, separator)
  return items.filter((item) => item.startsWith(prefix))
}

/** The fault of a time in the headers; undefined if it is valid, or stands elsewhere. */
function headerTimeFault(
  scheme: Scheme,
  headers: Headers,
  nowMs: number,
  { isLenient }: SignatureRules,
): string | undefined {
  const written = partText(scheme, 'time', headers)
  if (written === undefined) return undefined
  if (written === '') return 'the time is missing'
  const time = isLenient ? pythonInteger(written) : Number(written)
  if (time === undefined || (!isLenient && !/^[0-9]+$/.test(written)))
    return `the time is not a whole number of ${scheme.time_unit === 'ms' ? 'milliseconds' : 'seconds'}`
  return windowFault(scheme, time, nowMs)
}

/**
 * The fault of a time in the payload of a post whose signature is valid; undefined if it is valid too, or absent
 * [signatures/linear-window].
 */
export function payloadTimeFault(
  { name, scheme }: NamedScheme,
  payload: () => Json | undefined,
  nowMs: number,
): string | undefined {
  const { time: place } = scheme
  if (place === undefined || !('member' in place)) return undefined
  const time = numberIn(place.member, payload())
  const fault = time === undefined ? undefined : windowFault(scheme, time, nowMs)
  return fault && `${name} (${scheme.header}): ${fault}`
}

function windowFault(
  { time_unit, window_seconds }: Scheme,
  time: number,
  nowMs: number,
): string | undefined {
  const seconds = time_unit === 'ms' ? Math.floor(time / 1000) : time
  const off = Math.abs(Math.floor(nowMs / 1000) - seconds)
  return off <= window_seconds
    ? undefined
    : `the time is ${off} seconds off, at most ${window_seconds} are allowed`
}

/** A time as Python reads an integer; undefined for any other text. */
function pythonInteger(written: string): number | undefined {
  const read = toInt(headerText(written))
  return 'value' in read ? Number(read.value) : undefined
}
