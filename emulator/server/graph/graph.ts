// Reads a submitted graph: the inputs of its nodes, the links between them with their types [workflows/link-type], and its
// text.

import {
  copyText,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  numberOf,
  writeJson,
} from '../../lib/json.ts'
import { pythonEquals, pythonTypeName, wrongIndex } from '../../lib/python.ts'
import type { NodeType } from '../state/nodes.ts'
import type { Link } from '../state/runs.ts'
import type { PythonException } from './node-errors.ts'
import type { ConvertedLiterals } from './verdict.ts'

const noInputs: JsonObject = new Map()

/** The inputs of a node; empty if it has none. */
export function nodeInputs(graph: JsonObject, id: string): JsonObject {
  const node = graph.get(id)
  const inputs = isObject(node) ? node.get('inputs') : undefined
  return isObject(inputs) ? inputs : noInputs
}

/** The link in an input value, or undefined for a literal. */
export function linkOf(value: Json): Link | undefined {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string') return undefined
  const index = numberOf(value[1])
  return index === undefined ? undefined : { source: value[0], index }
}

/** A literal without the object that clients may wrap it in. */
export const unwrap = (given: Json): Json =>
  isObject(given) && given.has('__value__') ? (given.get('__value__') as Json) : given

/**
 * The node that an input value links to, or undefined for a literal. Does not build a link: walking a graph needs only
 * the id.
 */
export function sourceOf(value: Json): string | undefined {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string') return undefined
  return numberOf(value[1]) === undefined ? undefined : value[0]
}

/** A link from a node that these outputs need to a node that the graph does not contain: who links, and where. */
export function brokenLink(
  graph: JsonObject,
  outputs: readonly string[],
): { id: string; source: string } | undefined {
  const needed = new Set(outputs)
  // Iterating over a set includes the items that are added meanwhile.
  for (const id of needed) {
    for (const value of nodeInputs(graph, id).values()) {
      const source = sourceOf(value)
      if (source === undefined) continue
      if (!graph.has(source)) return { id, source }
      needed.add(source)
    }
  }
  return undefined
}

/** Ids of the nodes that provide an input of another node: a node of unknown type that provides none is an output. */
export function linkedIds(graph: JsonObject): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const id of graph.keys()) {
    for (const value of nodeInputs(graph, id).values()) {
      const link = linkOf(value)
      if (link !== undefined) ids.add(link.source)
    }
  }
  return ids
}

/** The declared type of an output; negative indexes count from the end. */
export function outputType(type: NodeType, index: Json): string | Json[] | PythonException {
  const holder = type.newStyle ? 'list' : 'tuple'
  if (typeof index !== 'number' && typeof index !== 'bigint' && typeof index !== 'boolean')
    return { type: 'TypeError', text: wrongIndex(holder, pythonTypeName(index)) }
  // Pass-through types of unknown classes have any number of outputs.
  if (type.text === '') return '*'
  const at = Number(index)
  const found = Number.isInteger(at) ? type.outputs.at(at) : undefined
  const inRange = at < type.outputs.length && at >= -type.outputs.length
  if (found !== undefined && inRange) return found
  return Number.isInteger(at)
    ? { type: 'IndexError', text: `${holder} index out of range` }
    : { type: 'TypeError', text: wrongIndex(holder, 'float') }
}

/** Whether a link of this type fits an input: equal, any, or sharing one name of a comma-separated list. */
export function typesMatch(
  received: string | readonly Json[],
  expected: string | readonly Json[],
): boolean {
  if (received === '*' || expected === '*' || received === expected) return true
  if (typeof received === 'string' && typeof expected === 'string') {
    const names = new Set(received.split(',').map((name) => name.trim()))
    return expected.split(',').some((name) => names.has(name.trim()))
  }
  return (
    typeof received !== 'string' && typeof expected !== 'string' && sameOptions(received, expected)
  )
}

const sameOptions = (a: readonly Json[], b: readonly Json[]): boolean =>
  a.length === b.length && a.every((option, index) => pythonEquals(option, b[index] as Json))

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
