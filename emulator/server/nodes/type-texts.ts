// Catalogues as texts: the declaration of each node type as JSON, which is parsed when a node first needs it. Parsing all
// of them takes longer than a server takes to start.

import { isObject, readDocument } from '../../lib/json.ts'
import type { TypeTexts } from '../state/nodes.ts'

/** The types of a JSON object. Throws SyntaxError unless it is an object of node types. */
export function typeTexts(text: string): TypeTexts {
  const { value, spans } = readDocument(text)
  if (!isObject(value)) throw new SyntaxError('object_info is not an object of node types')
  return new Map(
    Array.from(value, ([class_type, entry]) => {
      if (!isObject(entry)) throw new SyntaxError(`object_info of ${class_type} is not an object`)
      return [class_type, text.slice(...(spans.get(class_type) ?? []))]
    }),
  )
}

/** The types of a file of this package, which has each on a line: none is parsed. */
export function typesByLine(text: string): TypeTexts {
  const types = new Map<string, string>()
  for (const line of text.split('\n')) {
    const end = line.indexOf('":')
    if (end > 0) types.set(line.slice(1, end), line.slice(end + 2).replace(/,$/, ''))
  }
  return types
}
