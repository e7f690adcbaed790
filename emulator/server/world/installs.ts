// What the node manager has to install and has installed: each takes its time on the world's clock, one after another.

import { type Bounded, createBounded, put } from '../../lib/bounded.ts'

/** A model file that an installation brings: its folder, and its name with the subfolder in it. */
export type Model = { readonly folder: string; readonly name: string }

export type Installs = {
  /** What waits, oldest first; null for a node pack, which brings nothing that is listed. */
  readonly waiting: (Model | null)[]
  done: number
  /** When the first of those that wait is done; undefined while none waits. */
  dueMs: number | undefined
  /** Installed models by `folder/name`. */
  readonly models: Bounded<Model>
}

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
