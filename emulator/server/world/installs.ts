// What the node manager has to install and has installed: each takes its time on the world's clock, one after another.

import { createBounded, put } from '../../lib/bounded.ts'
import type { Installs, Model } from '../state/files.ts'

/** So many installations wait at most, */
export const MAX_WAITING = 1000
/** and so many installed models are listed; the oldest go first. */
const MAX_MODELS = 10_000
/** Time that one installation takes, in milliseconds. */
const INSTALL_MS = 100

export const createInstalls = (): Installs => ({
  waiting: [],
  done: 0,
  dueMs: undefined,
  models: createBounded(MAX_MODELS),
})

/** Starts an installation, or lets it wait for those before it. */
export function beginInstall(installs: Installs, model: Model | null, nowMs: number): void {
  installs.waiting.push(model)
  installs.dueMs ??= nowMs + INSTALL_MS
}

/** Ends the installation that is due, and begins the next. */
export function endInstall(installs: Installs): void {
  const model = installs.waiting.shift()
  if (model) put(installs.models, `${model.folder}/${model.name}`, model)
  installs.done++
  installs.dueMs =
    installs.waiting.length === 0 ? undefined : (installs.dueMs as number) + INSTALL_MS
}

/** The names of the models that were installed into a folder. */
export function installedModels({ models }: Installs, folder: string): readonly string[] {
  const names: string[] = []
  for (const { value } of models.entries.values())
    if (value.folder === folder) names.push(value.name)
  return names
}
