// What the header of a signed post says, by its scheme: for those who verify it, and for those who sign.

import { hmac as makeHmac } from '@noble/hashes/hmac.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64SecretPrefix, type Scheme } from '../../../spec/gateway/signatures.ts'
import { base64, bytesOfBase64, lettersOf } from '../../lib/base64.ts'
import { latin1 } from '../../lib/bytes.ts'

export type Algorithm = Exclude<Scheme['algorithm'], 'none'>

/** The HMAC with a hash. All implementations return the same bytes; the one of an edge can be faster. */
export type Hmac = (algorithm: Algorithm, key: Uint8Array, message: Uint8Array) => Uint8Array

const hashes = { sha256, sha512, sha1 }
export const portableHmac: Hmac = (algorithm, key, message) =>
  makeHmac(hashes[algorithm], key, message)

/** The parts of a post that its scheme can sign. A character of a text stands for a byte. */
export type SignableParts = {
  readonly body: Uint8Array
  readonly time: string
  readonly id: string
  /** The address to which the sender posts. */
  readonly url: string
}

const partName = /\{(body|time|id|url)\}/

/** Whether a scheme signs a part of the post. */
export const signsPart = ({ signs }: Scheme, part: keyof SignableParts): boolean =>
  signs.includes(`{${part}}`)

/** The signature of a post as it stands in the header, after other items. */
export function signatureOf(
  scheme: Scheme,
  algorithm: Algorithm,
  parts: SignableParts,
  key: Uint8Array,
  hmac: Hmac = portableHmac,
): string {
  const { signs, encoding, prefix } = scheme
  const message = signs === '{body}' ? parts.body : messageOf(signs, parts)
  const digest = hmac(algorithm, key, message)
  return prefix + (encoding === 'base64' ? base64(digest) : bytesToHex(digest))
}

function messageOf(signs: string, parts: SignableParts): Uint8Array {
  // Between the names of parts stand texts: the first and the last one can be empty.
  const pieces = signs.split(partName).map((piece, at) => {
    if (at % 2 === 0) return utf8ToBytes(piece)
    return piece === 'body' ? parts.body : latin1(parts[piece as 'time' | 'id' | 'url'])
  })
  return concatBytes(...pieces)
}

/** The header of a scheme that carries the secret itself. A character stands for a byte. */
export function secretHeader({ encoding, prefix }: Scheme, secret: string): string {
  const bytes = utf8ToBytes(secret)
  return prefix + (encoding === 'base64' ? base64(bytes) : lettersOf(bytes))
}

const strictBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The rules for reading a secret. */
export type KeyRules = {
  /** Takes a secret without `whsec_` as it is, like the reference gateway of July 2026. */
  readonly isEarlier: boolean
  /** Accepts an empty key. */
  readonly isLenient: boolean
}

/** The keys for which a secret can stand, the usual one first; empty for one that is not valid. */
export function signingKeys(
  secret: string,
  { key }: Scheme,
  { isEarlier, isLenient }: KeyRules = { isEarlier: false, isLenient: false },
): readonly Uint8Array[] {
  const bare = utf8ToBytes(secret)
  if (key === 'text') return [bare]
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
