// Posts in a journal: signed again with the placeholders of their secrets, so that a replay validates them as the gateway
// did, but nobody can use them.

import type { Scheme } from '../../../spec/gateway/signatures.ts'
import type { Headers } from '../../machine.ts'
import { tokenText } from '../../lib/python-bytes.ts'
import { hasHeader, type NamedScheme, textIn } from './schemes.ts'
import { type Algorithm, secretHeader, signatureOf, signingKeys } from './sign.ts'
import type { SignedParts } from './signatures.ts'

/** What a signature can cover: body and address, and what the journal has in their place. */
export type Replacement = {
  readonly from: Pick<SignedParts, 'body' | 'url'>
  readonly to: Pick<SignedParts, 'body' | 'url'>
}

/** Each secret with its replacement. */
type Pairs = readonly (readonly [secret: string, other: string])[]

/**
 * The headers of a post that carry a signature or a secret, for parts in which the secrets are replaced: valid signatures
 * are made again with the replacement of their secret, secrets are hidden.
 * @param parts what a signature can cover: the body as it came, and without its coding.
 */
export function signedAgain(
  schemes: readonly NamedScheme[],
  headers: Headers,
  parts: readonly Replacement[],
  pairs: Pairs,
  hide: (secret: string) => string,
): Headers {
  const found: Record<string, string> = {}
  for (const { scheme } of schemes) {
    const { algorithm } = scheme
    for (const [name, value] of Object.entries(headers)) {
      if (!hasHeader(scheme, name)) continue
      const again =
        algorithm === 'none'
          ? hiddenSecret(scheme, value, hide)
          : parts.reduce(
              (text, part) => replaced(scheme, algorithm, headers, part, text, pairs),
              found[name] ?? value,
            )
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

/** A header with signatures, those that are valid for a part made again. */
function replaced(
  scheme: Scheme,
  algorithm: Algorithm,
  headers: Headers,
  { from, to }: Replacement,
  value: string,
  pairs: Pairs,
): string {
  const textOf = (part: 'id' | 'time'): string => {
    const place = scheme[part]
    return place === undefined ? '' : textIn(place, scheme, headers)
  }
  const texts = { id: textOf('id'), time: textOf('time') }
  let again = value
  for (const [secret, other] of pairs) {
    const [otherKey] = signingKeys(other, scheme)
    const anew = otherKey && signatureOf(scheme, algorithm, { ...texts, ...to }, otherKey)
    for (const key of signingKeys(secret, scheme))
      again = again.replaceAll(
        signatureOf(scheme, algorithm, { ...texts, ...from }, key),
        anew ?? '',
      )
  }
  return again
}
