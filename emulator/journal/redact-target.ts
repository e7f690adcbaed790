// Removes credentials from the target of a request, for a journal.

import { splitAtPlaceholders } from './placeholders.ts'
import { decodePart, replaceToken } from '../http/requests.ts'

/**
 * The target with placeholders for the tokens in the query, and for known secrets anywhere, in any spelling.
 * @param redactOne returns the placeholder of a secret.
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

/** Encodes the text around placeholders. */
const encodeAround = (text: string): string =>
  splitAtPlaceholders(text)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')
