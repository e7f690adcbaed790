// The target of a request in a journal: without credentials.

import { splitAtPlaceholders } from './placeholders.ts'
import { decodePart, replaceToken } from '../http/requests.ts'

/**
 * The target with placeholders for the query's tokens, and for known secrets wherever they stand, however they are
 * spelled.
 * @param redactOne makes the placeholder of a secret.
 * @param redactKnown replaces the known secrets in a text.
 */
export function redactTarget(
  target: string,
  redactOne: (secret: string) => string,
  redactKnown: (text: string) => string,
): string {
  const redacted = redactKnown(replaceToken(target, redactOne))
  if (!redacted.includes('%')) return redacted
  return redacted
    .split(/([/?&=])/)
    .map((part) => {
      const decoded = decodePart(part)
      const without = redactKnown(decoded)
      return without === decoded ? part : encodeAround(without)
    })
    .join('')
}

/** Encodes what stands around placeholders. */
const encodeAround = (text: string): string =>
  splitAtPlaceholders(text)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')
