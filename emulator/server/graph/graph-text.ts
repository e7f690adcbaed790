// The text of a submitted graph: what the client wrote, with the literals that were converted in their places.

import { type Json, type JsonDocument, copyText, writeJson } from '../../lib/json.ts'
import type { ConvertedLiterals } from './validate.ts'

/**
 * The graph as the client wrote it, which is the cheapest way to give every number back as it came. Converted numbers
 * stand there as what they became. Null where the graph has to be written anew: an object names a key twice, or what
 * was converted is no number, or one of too many.
 * @param source the text of `document`, whose `prompt` is the graph.
 */
export function graphText(
  source: string,
  document: JsonDocument,
  coerced: ConvertedLiterals,
): string | null {
  const span = document.spans.get('prompt')
  if (span === undefined || document.repeatsKeys) return null
  let from = span[0]
  const parts: string[] = []
  let open = 0
  for (const names of coerced.values()) open += names.length
  for (const number of open === 0 ? [] : document.numbers) {
    if (!coerced.get(number.holder)?.includes(number.key)) continue
    parts.push(source.slice(from, number.start), writeJson(number.holder.get(number.key) as Json))
    from = number.end
    open--
  }
  if (open > 0) return null
  const rest = source.slice(from, span[1])
  return parts.length === 0 ? copyText(rest) : [...parts, rest].join('')
}
