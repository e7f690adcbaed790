// Writes the text of a submitted graph: the client's text, with converted literals replaced.

import { type Json, type JsonDocument, copyText, writeJson } from '../../lib/json.ts'
import type { ConvertedLiterals } from './verdict.ts'

/**
 * The graph in the client's words, which is the cheapest way to preserve every number. Converted numbers are replaced.
 * Returns null if the graph must be serialised again: an object contains a key twice, a converted literal is not a
 * number, or there are too many.
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
