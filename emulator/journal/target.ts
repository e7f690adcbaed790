// The target of a request as a journal shows it: without credentials.

import { splitAtPlaceholders } from './placeholders.ts'
import { decodePart, replaceToken } from '../http/requests.ts'

/**
 * The target with placeholders for the query's tokens, and for known secrets wherever they stand, however they are
 * spelled.
 * @param hide makes the placeholder of a secret.
 * @param without replaces the known secrets in a text.
 */
export function shownTarget(
  target: string,
  hide: (secret: string) => string,
  without: (text: string) => string,
): string {
  const shown = without(replaceToken(target, hide))
  if (!shown.includes('%')) return shown
  return shown
    .split(/([/?&=])/)
    .map((part) => {
      const decoded = decodePart(part)
      const hidden = without(decoded)
      return hidden === decoded ? part : encodeAround(hidden)
    })
    .join('')
}

/** Encodes what stands around placeholders. */
const encodeAround = (text: string): string =>
  splitAtPlaceholders(text)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')
