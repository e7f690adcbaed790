// The simulated memory of a local server [system/memory-of-models]: runs load models, which stay until they are
// unloaded. Statistics are computed from their number.

import type { World } from '../state/world.ts'

/** The maximum number of loaded models: the one loaded first makes room. */
const MOST_MODELS = 8

/** Loads a model file for a run. */
export function loadModel({ state: { memory } }: World, name: string): void {
  memory.models.add(name)
  const [oldest] = memory.models
  if (memory.models.size > MOST_MODELS && oldest !== undefined) memory.models.delete(oldest)
}

/** Unloads the models, as soon as no run needs them. */
export function unloadModels(world: World): void {
  world.state.memory.isUnloading = true
  unloadBetweenRuns(world)
}

/** Applies a request that arrived during a run. */
export function unloadBetweenRuns({ state: { memory, workers } }: World): void {
  if (!memory.isUnloading || workers.some(({ running }) => running !== null)) return
  memory.isUnloading = false
  memory.models.clear()
}
