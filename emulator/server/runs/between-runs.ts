// The state that runs leave for later runs, besides cached results: letters of temporary names, and loaded models.

import { remove } from '../../lib/bounded.ts'
import type { JsonObject } from '../../lib/json.ts'
import { nodeInputs } from '../graph/graph.ts'
import { isModelFile } from '../nodes/catalog.ts'
import { lettersKey } from '../nodes/node.ts'
import { loadModel } from '../world/loaded-models.ts'
import type { NodeType } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** A node that the new graph does not contain gets other letters when it occurs again [files/temp-letters]. */
export function keepLettersOf(world: World, types: ReadonlyMap<string, NodeType>): void {
  if (world.state.tempLetters.entries.size === 0) return
  const kept = new Set(Array.from(types, ([id, { class_type }]) => lettersKey(id, class_type)))
  for (const key of world.state.tempLetters.entries.keys()) {
    if (!kept.has(key)) remove(world.state.tempLetters, key)
  }
}

/** Loads the models that the graph of a run names, when it starts. */
export function loadModels(world: World, graph: JsonObject): void {
  for (const id of graph.keys()) {
    for (const value of nodeInputs(graph, id).values()) {
      if (isModelFile(value)) loadModel(world, value)
    }
  }
}
