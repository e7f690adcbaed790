// Replaces node types that the server does not have by those that took their place [workflows/replaced].

import { replacements, type Replacement } from '../../../spec/server/replacements.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { nodeTypes } from '../nodes/catalog.ts'
import type { World } from '../state/world.ts'
import { linkOf } from './graph.ts'

const byType = new Map(replacements.map((one) => [one.old_node_id, one]))

/** What a submit gets for an input that the replacement needs and the node lacks. */
const CRASH = 'crash'

/**
 * Replaces the nodes of a graph in place. Returns whether it replaced any, or `crash` for a node that lacks an input of
 * its replacement: the real server fails on it.
 */
export function replaceNodes(world: World, graph: JsonObject): boolean | typeof CRASH {
  const known = nodeTypes(world)
  const found: (readonly [id: string, node: JsonObject, by: Replacement])[] = []
  for (const [id, node] of graph) {
    const class_type = isObject(node) ? node.get('class_type') : undefined
    const by = typeof class_type === 'string' ? byType.get(class_type) : undefined
    const isNeeded = by !== undefined && !known.has(by.old_node_id) && known.has(by.new_node_id)
    if (isNeeded) found.push([id, node as JsonObject, by])
  }
  for (const [id, node, by] of found) {
    const inputs = inputsBy(by, node)
    if (inputs === undefined) return CRASH
    graph.set(id, new Map([...node, ['class_type', by.new_node_id], ['inputs', inputs]]))
    relink(graph, id, by)
  }
  return found.length > 0
}

/** The inputs of a node under their new names; undefined if it lacks one of them. */
function inputsBy({ input_mapping }: Replacement, node: JsonObject): JsonObject | undefined {
  const given = node.get('inputs')
  const inputs: JsonObject = new Map()
  for (const mapping of input_mapping ?? []) {
    if ('set_value' in mapping) {
      inputs.set(mapping.new_id, mapping.set_value)
      continue
    }
    const value = isObject(given) ? given.get(mapping.old_id) : undefined
    if (value === undefined) return undefined
    inputs.set(mapping.new_id, value)
  }
  return inputs
}

/** Changes the links to outputs of a replaced node. */
function relink(graph: JsonObject, source: string, { output_mapping }: Replacement): void {
  const indexes = new Map(output_mapping?.map(({ old_idx, new_idx }) => [old_idx, new_idx]))
  if (indexes.size === 0) return
  for (const node of graph.values()) {
    const inputs = isObject(node) ? node.get('inputs') : undefined
    if (!isObject(inputs)) continue
    for (const [name, value] of inputs) {
      const link = linkOf(value)
      const index = link?.source === source ? indexes.get(link.index) : undefined
      if (index !== undefined) inputs.set(name, [source, index] as Json)
    }
  }
}
