// Validates the signature of a post, driven by the table of schemes in the spec.

import { hmac as makeHmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  base64SecretPrefix,
  type KeyDerivation,
  type Scheme,
  type SchemeName,
  schemes,
  stripeTimestamp,
  tokenHeader,
} from '../../../spec/gateway/signatures.ts'
import type { Headers } from '../../machine.ts'
import { bytesOfBase64 } from '../../lib/base64.ts'
import { isEqual } from '../../lib/equal.ts'
import { isObject, numberOf } from '../../lib/json.ts'
import { toInt } from '../../lib/python.ts'
import { headerText, isUtf8, tokenText } from '../../lib/python-bytes.ts'
import { parseBody } from './payload.ts'

/** The parts of a post that its signature covers. A character of a header stands for a byte. */
export type SignedParts = { readonly headers: Headers; readonly body: Uint8Array }

/** HMAC-SHA256. All implementations return the same bytes; the one of an edge can be faster. */
export type Hmac = (key: Uint8Array, message: Uint8Array) => Uint8Array
export const portableHmac: Hmac = (key, message) => makeHmac(sha256, key, message)

const all: readonly (readonly [SchemeName, Scheme])[] = Object.entries<Scheme>(schemes).map(
  ([name, scheme]) => [name as SchemeName, scheme],
)
/** Schemes that the reference gateway of July 2026 does not understand. */
const newer: ReadonlySet<SchemeName> = new Set([
  'stripe',
  'linear',
  'slack',
  'pagerduty',
  'standard',
  'token',
])
const earlierSchemes = all.filter(([name]) => !newer.has(name))

const signatureHeaders: ReadonlySet<string> = new Set(
  all.map(([, { signature }]) => signature.toLowerCase()),
)
/** Whether a header, in lower case, carries the signature or the token of a scheme. */
export const isSignature = (name: string): boolean =>
  signatureHeaders.has(name) || tokenHeader.test(name)

/** Headers with a token, in lower case, except the one with a separate scheme. */
const isToken = (name: string): boolean =>
  tokenHeader.test(name) && name !== schemes.gitlab.signature.toLowerCase()

const valueOf = (headers: Headers, name: string | undefined): string =>
  name === undefined ? '' : (headers[name.toLowerCase()] ?? '')

/** The scheme that applies to a post; undefined if it is not signed. */
function schemeOf(headers: Headers, isEarlier: boolean): readonly [SchemeName, Scheme] | undefined {
  return (isEarlier ? earlierSchemes : all).find(([name, { selectedBy }]) =>
    name === 'token'
      ? tokensIn(headers).length > 0
      : selectedBy.some((header) => valueOf(headers, header) !== ''),
  )
}

const tokensIn = (headers: Headers): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => (isToken(name) && value !== '' ? value : []))

/** What is wrong with the signature of a post: the scheme, if any, and the reason. */
export type SignatureFault = { readonly fault: string }

/** Thrown if a gateway with these rules fails on the bytes of a header. */
export const crashed = new TypeError('A header is not UTF-8.')

/** The rules for reading signatures. */
export type SignatureRules = {
  /** Leaves out the schemes that the reference gateway of July 2026 does not understand. */
  readonly isEarlier: boolean
  /** Reads times and spaces like Python, and accepts an empty key. */
  readonly isLenient: boolean
  /** Fails on headers that are not UTF-8, with `crashed`. */
  readonly crashes: boolean
}

/**
 * The scheme of a valid signature with the secret, or the fault.
 * @param nowMs the time in milliseconds since 1970, with which signed times are compared.
 * Throws `crashed` if the gateway does.
 */
export function verify(
  post: SignedParts,
  secret: string,
  nowMs: number,
  manner: SignatureRules,
  hmac: Hmac = portableHmac,
): SchemeName | SignatureFault {
  if (secret === '') return { fault: 'the route has no secret' }
  const found = schemeOf(post.headers, manner.isEarlier)
  if (found === undefined) return { fault: unsignedFault(post.headers, manner) }
  const [name, scheme] = found
  const fault =
    scheme.signs === 'token'
      ? tokenFault(post, name, scheme, secret, manner)
      : (timeFault(scheme, post.headers, nowMs, manner) ??
        signatureFault(post, scheme, secret, manner, hmac) ??
        payloadTimeFault(post, scheme, nowMs))
  return fault === undefined ? name : { fault: `${name} (${scheme.signature}): ${fault}` }
}

/** The longest list of header names in a fault. */
const MAX_NAMES = 30

/** What a post without a signature has instead: the names of its headers, and no value. */
function unsignedFault(headers: Headers, { isEarlier }: SignatureRules): string {
  const names = Object.keys(headers).toSorted()
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : []
  const known = (isEarlier ? earlierSchemes : all).map(([, { signature }]) => signature)
  return (
    `no header of a known scheme: it has ${[...names.slice(0, MAX_NAMES), ...more].join(', ') || 'none'}; ` +
    `known are ${known.join(', ')}`
  )
}

function tokenFault(
  { headers }: SignedParts,
  name: SchemeName,
  { signature }: Scheme,
  secret: string,
  manner: SignatureRules,
): string | undefined {
  const offered = name === 'token' ? tokensIn(headers) : [valueOf(headers, signature)]
  const expected = bytesText(utf8ToBytes(secret))
  return offered.some((token) => isEqualSignature(token, expected, manner))
    ? undefined
    : 'not the secret'
}

function signatureFault(
  post: SignedParts,
  scheme: Scheme,
  secret: string,
  manner: SignatureRules,
  hmac: Hmac,
): string | undefined {
  const { id, signature } = scheme
  if (id !== undefined && valueOf(post.headers, id) === '') return `${id} is missing`
  const value = valueOf(post.headers, signature)
  if (value === '') return 'the signature is missing'
  const expected = signingKeys(secret, scheme.key, manner).flatMap(
    (key) => expectedSignature(scheme, post, key, hmac) ?? [],
  )
  if (expected.length === 0) return `the secret after ${base64SecretPrefix} is not base64`
  if (manner.crashes && id !== undefined && !isUtf8(valueOf(post.headers, id))) throw crashed
  const offered = offeredSignatures(scheme, value, manner)
  return offered.some((one) => expected.some((right) => isEqualSignature(one, right, manner)))
    ? undefined
    : 'the signature does not match'
}

function isEqualSignature(offered: string, expected: string, { crashes }: SignatureRules): boolean {
  if (crashes && !isUtf8(offered)) throw crashed
  return isEqual(offered, expected)
}

/** Any Unicode spaces in UTF-8, a character for each byte. */
const anyBlanks =
  /(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+/

/** The signatures in the value of a header: there can be several. */
function offeredSignatures(
  { form, prefix }: Scheme,
  value: string,
  { isLenient }: SignatureRules,
): readonly string[] {
  if (form === 'entries')
    return value
      .split(isLenient ? anyBlanks : /[\t\n\v\f\r ]+/)
      .filter((entry) => entry.startsWith(prefix))
  return form === 'pairs' ? value.split(',') : [value]
}

/** The signed time as written; the first of several. */
function timeText({ form, signature, timestamp }: Scheme, headers: Headers): string {
  if (form !== 'pairs') return valueOf(headers, timestamp)
  const prefix = `${stripeTimestamp}=`
  const pair = valueOf(headers, signature)
    .split(',')
    .find((one) => one.startsWith(prefix))
  return pair?.slice(prefix.length) ?? ''
}

/** The fault of a signed time; undefined if it is valid, or absent. */
function timeFault(
  scheme: Scheme,
  headers: Headers,
  nowMs: number,
  { isLenient }: SignatureRules,
): string | undefined {
  const { windowSeconds } = scheme
  if (windowSeconds === undefined) return undefined
  const written = timeText(scheme, headers)
  if (written === '') return 'the time is missing'
  const seconds = isLenient ? pythonSeconds(written) : Number(written)
  if (seconds === undefined || (!isLenient && !/^[0-9]+$/.test(written)))
    return 'the time is not a whole number of seconds'
  return windowFault(seconds, windowSeconds, nowMs)
}

/** The fault of a time in the payload; undefined if it is valid, or absent [signatures/linear-window]. */
function payloadTimeFault(
  { body }: SignedParts,
  { timeMember }: Scheme,
  nowMs: number,
): string | undefined {
  if (timeMember === undefined) return undefined
  const payload = parseBody(body)
  const timeMs = isObject(payload) ? numberOf(payload.get(timeMember.name)) : undefined
  return timeMs === undefined
    ? undefined
    : windowFault(Math.floor(timeMs / 1000), timeMember.windowSeconds, nowMs)
}

function windowFault(seconds: number, windowSeconds: number, nowMs: number): string | undefined {
  const off = Math.abs(Math.floor(nowMs / 1000) - seconds)
  return off <= windowSeconds
    ? undefined
    : `the time is ${off} seconds off, at most ${windowSeconds} are allowed`
}

/** A time as Python reads an integer; undefined for any other text. */
function pythonSeconds(written: string): number | undefined {
  const read = toInt(headerText(written))
  return 'value' in read ? Number(read.value) : undefined
}

/** The valid signature of a post; undefined if a part of it is missing. */
function expectedSignature(
  scheme: Scheme,
  { headers, body }: SignedParts,
  key: Uint8Array,
  hmac: Hmac,
): string | undefined {
  const { signs, encoding, prefix, joint = '.' } = scheme
  if (signs === 'token') return undefined
  const parts: Uint8Array[] = []
  for (const part of signs) {
    if (parts.length > 0) parts.push(utf8ToBytes(joint))
    if (part === 'body') parts.push(body)
    else if (part === 'v0') parts.push(utf8ToBytes(part))
    else {
      const text = part === 'id' ? valueOf(headers, scheme.id) : timeText(scheme, headers)
      if (text === '') return undefined
      parts.push(Uint8Array.from(text, (char) => char.charCodeAt(0)))
    }
  }
  const digest = hmac(key, parts.length === 1 ? body : concatBytes(...parts))
  return prefix + (encoding === 'base64' ? btoa(bytesText(digest)) : bytesToHex(digest))
}

const strictBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The keys for which a secret can stand, the usual one first; empty for one that is not valid. */
function signingKeys(
  secret: string,
  derivation: KeyDerivation,
  { isEarlier, isLenient }: Pick<SignatureRules, 'isEarlier' | 'isLenient'>,
): readonly Uint8Array[] {
  const bare = utf8ToBytes(secret)
  if (derivation === 'utf-8') return [bare]
  if (!secret.startsWith(base64SecretPrefix)) {
    // [signatures/bare-base64]
    return isEarlier || secret === '' || !strictBase64.test(secret)
      ? [bare]
      : [bare, bytesOfBase64(secret)]
  }
  const encoded = secret.slice(base64SecretPrefix.length)
  // Reject an empty key: anybody could sign with it [signatures/no-empty-secret].
  if ((encoded === '' && !isLenient) || !strictBase64.test(encoded)) return []
  return [bytesOfBase64(encoded)]
}

/** Bytes as a text with one character per byte. */
function bytesText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

const anyRules = { isEarlier: false, isLenient: false } as const

/**
 * Replaces signatures and tokens in headers: valid signatures by those that `other` creates for `redactedBody`, tokens
 * by `hide`. For a journal, in which the secrets are replaced as well.
 * @param pairs each secret with its replacement.
 */
export function signedAnew(
  { headers, body }: SignedParts,
  redactedBody: Uint8Array,
  pairs: readonly (readonly [secret: string, other: string])[],
  hide: (token: string) => string,
): Headers {
  const redacted: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    redacted[name] = tokenHeader.test(name) && value !== '' ? hide(tokenText(value)) : value
  }
  for (const [, scheme] of all) {
    const header = scheme.signature.toLowerCase()
    const value = headers[header] ?? ''
    if (value === '' || scheme.signs === 'token') continue
    for (const [secret, other] of pairs) {
      const [otherKey] = signingKeys(other, scheme.key, anyRules)
      const post = { headers, body: redactedBody }
      const anew = otherKey && expectedSignature(scheme, post, otherKey, portableHmac)
      for (const key of signingKeys(secret, scheme.key, anyRules)) {
        const right = expectedSignature(scheme, { headers, body }, key, portableHmac)
        if (right !== undefined)
          redacted[header] = (redacted[header] ?? '').replaceAll(right, anew ?? '')
      }
    }
  }
  return redacted
}
