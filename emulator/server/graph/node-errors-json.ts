// `node_errors` as JSON: of a workflow that validation refuses, and of a run that fails with ValidationError.

import type { Json, JsonObject } from '../../lib/json.ts'
import { nodeInputs, sourceOf } from './graph.ts'
import { brokeOff, type PythonException } from './node-errors.ts'
import type { NodeErrors } from './verdict.ts'

export function nodeErrorsJson(nodeErrors: NodeErrors): JsonObject {
  const entries: JsonObject = new Map()
  for (const [id, { errors, dependent_outputs, class_type }] of nodeErrors) {
    const list = errors.map((error) => new Map<string, Json>(Object.entries<Json>(error)))
    entries.set(
      id,
      new Map<string, Json>([
        ['errors', list],
        ['dependent_outputs', dependent_outputs],
        ['class_type', class_type],
      ]),
    )
  }
  return entries
}

/** The entry of the node at which a run with these outputs has failed [runs/validation-details]. */
export const failedNodeJson = (
  graph: JsonObject,
  outputs: readonly string[],
  id: string,
  class_type: string | null,
  exception: PythonException,
): JsonObject => {
  const reached = nodesBehind(graph, id)
  const dependent_outputs = outputs.filter((output) => reached.has(output))
  return nodeErrorsJson(
    new Map([[id, { errors: [brokeOff(exception)], dependent_outputs, class_type }]]),
  )
}

/** A node, and all nodes that directly or indirectly use it. */
function nodesBehind(graph: JsonObject, first: string): ReadonlySet<string> {
  const usersOf = new Map<string, string[]>()
  for (const id of graph.keys()) {
    for (const value of nodeInputs(graph, id).values()) {
      const source = sourceOf(value)
      if (source === undefined) continue
      const users = usersOf.get(source)
      if (users === undefined) usersOf.set(source, [id])
      else users.push(id)
    }
  }
  const reached = new Set([first])
  // Iterating over a set includes the items that are added meanwhile.
  for (const id of reached) for (const user of usersOf.get(id) ?? []) reached.add(user)
  return reached
}
