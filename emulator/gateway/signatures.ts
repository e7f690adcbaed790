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
} from '../../spec/gateway/signatures.ts'
import type { Headers } from '../machine.ts'
import { isEqual } from '../lib/equal.ts'

/** The parts of a post that its signature covers. A character of a header stands for a byte. */
export type Signed = { readonly headers: Headers; readonly body: Uint8Array }

/** HMAC-SHA256. All implementations return the same bytes; the one of an edge can be faster. */
export type Hmac = (key: Uint8Array, message: Uint8Array) => Uint8Array
export const portableHmac: Hmac = (key, message) => makeHmac(sha256, key, message)

const all: readonly (readonly [SchemeName, Scheme])[] = Object.entries<Scheme>(schemes).map(
  ([name, scheme]) => [name as SchemeName, scheme],
)
/** Schemes that the earlier gateway does not support. */
const newer: ReadonlySet<SchemeName> = new Set(['stripe', 'token'])
const earlier = all.filter(([name]) => !newer.has(name))

/** Headers with a token, in lower case, except the one with a separate scheme. */
const isToken = (name: string): boolean =>
  tokenHeader.test(name) && name !== schemes.gitlab.signature.toLowerCase()

const valueOf = (headers: Headers, name: string | undefined): string =>
  name === undefined ? '' : (headers[name.toLowerCase()] ?? '')

/** The scheme that applies to a post; undefined if it is not signed. */
function schemeOf(headers: Headers, isEarlier: boolean): readonly [SchemeName, Scheme] | undefined {
  return (isEarlier ? earlier : all).find(([name, { selectedBy }]) =>
    name === 'token'
      ? tokensIn(headers).length > 0
      : selectedBy.some((header) => valueOf(headers, header) !== ''),
  )
}

const tokensIn = (headers: Headers): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => (isToken(name) && value !== '' ? value : []))

/** What is wrong with the signature of a post: the scheme, if any, and the reason. */
export type SignatureFault = { readonly fault: string }

/**
 * The scheme by which the signature of a post is valid, or what is wrong.
 * @param nowMs the time in milliseconds since 1970, to compare with signed times.
 * @param isEarlier leaves out the schemes that the earlier gateway does not support.
 */
export function verify(
  post: Signed,
  secret: string,
  nowMs: number,
  isEarlier: boolean,
  hmac: Hmac = portableHmac,
): SchemeName | SignatureFault {
  if (secret === '') return { fault: 'the route has no secret' }
  const found = schemeOf(post.headers, isEarlier)
  if (found === undefined) return { fault: 'no header of a known scheme' }
  const [name, scheme] = found
  const fault =
    scheme.signs === 'token'
      ? tokenFault(post, name, scheme, secret)
      : (timeFault(scheme, post.headers, nowMs) ?? signatureFault(post, scheme, secret, hmac))
  return fault === undefined ? name : { fault: `${name} (${scheme.signature}): ${fault}` }
}

function tokenFault(
  { headers }: Signed,
  name: SchemeName,
  { signature }: Scheme,
  secret: string,
): string | undefined {
  const offered = name === 'token' ? tokensIn(headers) : [valueOf(headers, signature)]
  const expected = bytesText(utf8ToBytes(secret))
  return offered.some((token) => isEqual(token, expected)) ? undefined : 'not the secret'
}

function signatureFault(
  post: Signed,
  scheme: Scheme,
  secret: string,
  hmac: Hmac,
): string | undefined {
  const { id, signature } = scheme
  if (id !== undefined && valueOf(post.headers, id) === '') return `${id} is missing`
  const value = valueOf(post.headers, signature)
  if (value === '') return 'the signature is missing'
  const expected = signatureOf(scheme, post, secret, hmac)
  if (expected === undefined) return `the secret after ${base64SecretPrefix} is not base64`
  const isRight = offeredIn(scheme, value).some((one) => isEqual(one, expected))
  return isRight ? undefined : 'the signature does not match'
}

/** The signatures in the value of a header, which can contain several. */
function offeredIn({ form }: Scheme, value: string): readonly string[] {
  if (form === 'entries') return value.split(/[\t\n\v\f\r ]+/)
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

/** What is wrong with the signed time of a post; undefined if it is valid, or if the scheme signs none. */
function timeFault(scheme: Scheme, headers: Headers, nowMs: number): string | undefined {
  const { windowSeconds } = scheme
  if (windowSeconds === undefined) return undefined
  const written = timeText(scheme, headers)
  if (written === '') return 'the time is missing'
  if (!/^[0-9]+$/.test(written)) return 'the time is not a whole number of seconds'
  const off = Math.abs(Math.floor(nowMs / 1000) - Number(written))
  return off <= windowSeconds
    ? undefined
    : `the time is ${off} seconds off, at most ${windowSeconds} are allowed`
}

/** The correct signature of a post; undefined if a part of it is missing, or the secret is not a valid key. */
function signatureOf(
  scheme: Scheme,
  { headers, body }: Signed,
  secret: string,
  hmac: Hmac,
): string | undefined {
  const { signs, encoding, prefix } = scheme
  const key = keyOf(secret, scheme.key)
  if (key === undefined || signs === 'token') return undefined
  const parts: Uint8Array[] = []
  for (const part of signs) {
    if (parts.length > 0) parts.push(dot)
    if (part === 'body') parts.push(body)
    else {
      const text = part === 'id' ? valueOf(headers, scheme.id) : timeText(scheme, headers)
      if (text === '') return undefined
      parts.push(Uint8Array.from(text, (char) => char.charCodeAt(0)))
    }
  }
  const digest = hmac(key, parts.length === 1 ? body : concatBytes(...parts))
  return prefix + (encoding === 'base64' ? btoa(bytesText(digest)) : bytesToHex(digest))
}
const dot = utf8ToBytes('.')

const strictBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function keyOf(secret: string, derivation: KeyDerivation): Uint8Array | undefined {
  if (derivation === 'utf-8' || !secret.startsWith(base64SecretPrefix)) return utf8ToBytes(secret)
  const encoded = secret.slice(base64SecretPrefix.length)
  // An empty key is invalid: anybody could sign with it [signatures/no-empty-secret].
  if (encoded === '' || !strictBase64.test(encoded)) return undefined
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))
}

/** Bytes as a text with one character per byte. */
function bytesText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/**
 * Replaces what proves knowledge of a secret in headers: valid signatures by those that `other` makes for
 * `redactedBody`, tokens by `hide`. For a journal, which replaces the secrets as well.
 * @param pairs each secret with its replacement.
 */
export function signedAnew(
  { headers, body }: Signed,
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
      const right = signatureOf(scheme, { headers, body }, secret, portableHmac)
      const anew = signatureOf(scheme, { headers, body: redactedBody }, other, portableHmac)
      if (right !== undefined)
        redacted[header] = (redacted[header] ?? '').replaceAll(right, anew ?? '')
    }
  }
  return redacted
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes the bytes of a header: as UTF-8, or if invalid, one character per byte. */
export function tokenText(value: string): string {
  if (/^[\x00-\x7f]*$/.test(value)) return value
  try {
    return decoder.decode(Uint8Array.from(value, (char) => char.charCodeAt(0)))
  } catch {
    return value
  }
}
