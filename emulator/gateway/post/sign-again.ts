// Posts in a journal: signed again with the placeholders of their secrets, so that a replay validates them as the gateway
// did, but nobody can use them.

import type { Scheme } from '../../../spec/gateway/signatures.ts'
import type { Headers } from '../../machine.ts'
import { tokenText } from '../../lib/python-bytes.ts'
import { hasHeader, type NamedScheme, textIn } from './schemes.ts'
import { type Algorithm, secretHeader, signatureOf, signingKeys } from './sign.ts'
import type { SignedParts } from './signatures.ts'

/** The parts of a post that the journal has, in which secrets are replaced. */
type Redacted = Pick<SignedParts, 'body' | 'url'>

/** Each secret with its replacement. */
type Pairs = readonly (readonly [secret: string, other: string])[]

/**
 * The headers of a post that carry a signature or a secret, for parts in which the secrets are replaced: valid signatures
 * are made again with the replacement of their secret, secrets are hidden.
 */
export function signedAgain(
  schemes: readonly NamedScheme[],
  post: SignedParts,
  redacted: Redacted,
  pairs: Pairs,
  hide: (secret: string) => string,
): Headers {
  const found: Record<string, string> = {}
  for (const { scheme } of schemes) {
    const { algorithm } = scheme
    for (const [name, value] of Object.entries(post.headers)) {
      if (!hasHeader(scheme, name)) continue
      const again =
        algorithm === 'none'
          ? hiddenSecret(scheme, value, hide)
          : replaced(scheme, algorithm, { ...post, value: found[name] ?? value }, redacted, pairs)
      if (again !== undefined) found[name] = again
    }
  }
  return found
}

/** A header with the secret itself; undefined if it has another form. */
function hiddenSecret(
  scheme: Scheme,
  value: string,
  hide: (secret: string) => string,
): string | undefined {
  const { encoding, prefix } = scheme
  if (value === '') return value
  if (!value.startsWith(prefix)) return undefined
  const written = value.slice(prefix.length)
  if (encoding !== 'base64') return secretHeader(scheme, hide(tokenText(written)))
  try {
    return secretHeader(scheme, hide(tokenText(atob(written))))
  } catch {
    return undefined
  }
}

/** A header with signatures, the valid ones made again. */
function replaced(
  scheme: Scheme,
  algorithm: Algorithm,
  { headers, body, url, value }: SignedParts & { readonly value: string },
  redacted: Redacted,
  pairs: Pairs,
): string {
  const partOf = (part: 'id' | 'time'): string => {
    const place = scheme[part]
    return place === undefined ? '' : textIn(place, scheme, headers)
  }
  const parts = { body, url, id: partOf('id'), time: partOf('time') }
  let again = value
  for (const [secret, other] of pairs) {
    const [otherKey] = signingKeys(other, scheme)
    const anew = otherKey && signatureOf(scheme, algorithm, { ...parts, ...redacted }, otherKey)
    for (const key of signingKeys(secret, scheme))
      again = again.replaceAll(signatureOf(scheme, algorithm, parts, key), anew ?? '')
  }
  return again
}
