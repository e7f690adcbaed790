// The memory of the machine that a local server pretends to run on [system/memory-of-models]: runs load models, which
// stay until they are unloaded. Nothing is really held: what is told is reckoned from their number.

import type { World } from '../state/world.ts'

/** More do not fit: the one that came first makes room. */
const MOST_MODELS = 8

/** A run needs this model file. */
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

/** Applies a request that came during a run. */
export function unloadBetweenRuns({ state: { memory, workers } }: World): void {
  if (!memory.isUnloading || workers.some(({ running }) => running !== null)) return
  memory.isUnloading = false
  memory.models.clear()
}
