// Validates the signature of a post, driven by the table of schemes in the spec.

import { base64SecretPrefix, type Scheme } from '../../../spec/gateway/signatures.ts'
import type { Headers } from '../../machine.ts'
import { isEqual } from '../../lib/equal.ts'
import { toInt } from '../../lib/python.ts'
import { headerText, isUtf8 } from '../../lib/python-bytes.ts'
import { parseBody } from './payload.ts'
import {
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
 * The scheme of a valid signature with the secret, or the fault.
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
    signatureFault(post, scheme, secret, manner, hmac) ??
    payloadTimeFault(post, scheme, nowMs)
  return fault === undefined ? found : { fault: `${name} (${scheme.header}): ${fault}` }
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
    : 'the signature does not match'
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

/** The fault of a time in the payload; undefined if it is valid, or absent [signatures/linear-window]. */
function payloadTimeFault(
  { body }: SignedParts,
  scheme: Scheme,
  nowMs: number,
): string | undefined {
  const { time: place } = scheme
  if (place === undefined || !('member' in place)) return undefined
  const time = numberIn(place.member, parseBody(body))
  return time === undefined ? undefined : windowFault(scheme, time, nowMs)
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
