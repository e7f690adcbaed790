// What runs leave to those after them: results of nodes, letters of temporary names, loaded models.

import { clear, remove } from '../../lib/bounded.ts'
import type { JsonObject } from '../../lib/json.ts'
import { nodeInputs } from '../graph/graph.ts'
import { isModelFile } from '../nodes/catalog.ts'
import { lettersKey } from '../nodes/save.ts'
import { loadModel } from '../world/memory.ts'
import type { NodeType } from '../state/nodes.ts'
import type { Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** Results that are kept where they outlive their run [runs/cache-lru]. */
const MAX_RESULTS = 100

/**
 * Only results that the new graph may use are kept: the cache is as long as one run [runs/cache-of-last-graph], unless
 * the server keeps the latest ones. Those that the new graph may use are the latest, and stay in any number.
 */
export function keepCacheOf(
  world: World,
  worker: Worker,
  hashes: ReadonlyMap<string, number>,
): void {
  const { cache } = world.setup.options
  const kept: Worker['cache'] = new Map()
  if (cache === 'lru' && !worker.dropCache) {
    const own = new Set(hashes.values())
    const others = [...worker.cache].filter(([hash]) => !own.has(hash))
    const count = [...own].filter((hash) => worker.cache.has(hash)).length
    const room = Math.max(0, MAX_RESULTS - count)
    for (const [hash, result] of others.slice(Math.max(0, others.length - room)))
      kept.set(hash, result)
  }
  if (!worker.dropCache) {
    for (const hash of hashes.values()) {
      const result = worker.cache.get(hash)
      if (result !== undefined) kept.set(hash, result)
    }
  } else clear(world.state.tempLetters)
  worker.dropCache = false
  worker.cache = kept
}

/** A node that the new graph does not have gets other letters when it comes again [files/temp-letters]. */
export function keepLettersOf(world: World, types: ReadonlyMap<string, NodeType>): void {
  if (world.state.tempLetters.entries.size === 0) return
  const kept = new Set(Array.from(types, ([id, { class_type }]) => lettersKey(id, class_type)))
  for (const key of world.state.tempLetters.entries.keys()) {
    if (!kept.has(key)) remove(world.state.tempLetters, key)
  }
}

/** A run has something to do: the models that its graph names are loaded. */
export function loadModels(world: World, graph: JsonObject): void {
  for (const id of graph.keys()) {
    for (const value of nodeInputs(graph, id).values()) {
      if (isModelFile(value)) loadModel(world, value)
    }
  }
}
