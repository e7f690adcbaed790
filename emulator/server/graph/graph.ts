// Reads the inputs of the nodes of a graph, and the links between them.

import { isObject, type Json, type JsonObject, numberOf } from '../../lib/json.ts'
import type { Link } from '../state/runs.ts'

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
