// What the node manager has to install and has installed: each takes its time on the world's clock, one after another.

import { createBounded, put } from '../../lib/bounded.ts'
import type { Installs, Model } from '../state/files.ts'
import type { World } from '../state/world.ts'
import { wakeInstalls } from './timers.ts'

/** So many installations wait at most, */
export const MAX_WAITING = 1000
/** and so many installed models are listed; the oldest go first. */
const MAX_MODELS = 10_000
/** Time that one installation takes, in milliseconds. */
const INSTALL_MS = 100

export const createInstalls = (): Installs => ({
  waiting: [],
  done: 0,
  models: createBounded(MAX_MODELS),
})

/** Starts an installation, or lets it wait for those before it. */
export function beginInstall(world: World, model: Model | null): void {
  const { waiting } = world.state.installs
  waiting.push(model)
  if (waiting.length === 1) wakeInstalls(world, world.state.nowMs + INSTALL_MS)
}

/** Ends the installation that is due, and begins the next. */
export function endInstall(world: World): void {
  const { installs, nowMs } = world.state
  const model = installs.waiting.shift()
  if (model) put(installs.models, `${model.folder}/${model.name}`, model)
  installs.done++
  if (installs.waiting.length > 0) wakeInstalls(world, nowMs + INSTALL_MS)
}

/** The names of the models that were installed into a folder. */
export function installedModels({ models }: Installs, folder: string): readonly string[] {
  const names: string[] = []
  for (const { value } of models.entries.values())
    if (value.folder === folder) names.push(value.name)
  return names
}
