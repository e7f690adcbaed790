// The installations of the node manager: one at a time, each with a duration on the world's clock.

import { createBounded, put } from '../../lib/bounded.ts'
import type { Installs, Model } from '../state/files.ts'
import type { World } from '../state/world.ts'
import { wakeInstalls } from './timers.ts'

/** The maximum number of waiting installations, */
export const MAX_WAITING = 1000
/** and of listed installed models; the oldest are removed first. */
const MAX_MODELS = 10_000
/** The duration of one installation, in milliseconds. */
const INSTALL_MS = 100

export const createInstalls = (): Installs => ({
  waiting: [],
  done: 0,
  models: createBounded(MAX_MODELS),
})

/** Starts an installation, or queues it behind others. */
export function beginInstall(world: World, model: Model | null): void {
  const { waiting } = world.state.installs
  waiting.push(model)
  if (waiting.length === 1) wakeInstalls(world, world.state.nowMs + INSTALL_MS)
}

/** Ends the current installation, and starts the next. */
export function endInstall(world: World): void {
  const { installs, nowMs } = world.state
  const model = installs.waiting.shift()
  if (model) addModel(world, model)
  installs.done++
  if (installs.waiting.length > 0) wakeInstalls(world, nowMs + INSTALL_MS)
}

/** Adds a model to the listings. */
export function addModel({ state }: World, model: Model): void {
  put(state.installs.models, `${model.folder}/${model.name}`, model)
}

/** The names of the models that were installed into a folder. */
export function installedModels({ models }: Installs, folder: string): readonly string[] {
  const names: string[] = []
  for (const { value } of models.entries.values())
    if (value.folder === folder) names.push(value.name)
  return names
}
