// References to assets in a workflow [v2-assets/reference, v2-assets/by-path]: replaced by the names of their files.

import { get } from '../../lib/bounded.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { isCombo, nodeTypes, optionsOf } from '../nodes/catalog.ts'
import type { World } from '../state/world.ts'
import { fileKey } from '../world/files.ts'
import { assetOf, isAlive } from './asset-store.ts'

/** Replaces the references in a value, in place. Returns the replaced value. */
export function resolveReferences(world: World, value: Json, missing: string[]): Json {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) value[at] = resolveReferences(world, item, missing)
    return value
  }
  if (!isObject(value)) return value
  if (value.get('__type') === 'core/ASSET') return fileNamed(world, value.get('info'), missing)
  for (const [name, member] of value) value.set(name, resolveReferences(world, member, missing))
  return value
}

/** The name of the file that a reference means; what no asset has is missing. The id decides, its hash is a hint. */
function fileNamed(world: World, info: Json | undefined, missing: string[]): Json {
  const id = isObject(info) ? info.get('id') : undefined
  const found = typeof id === 'string' ? assetOf(world, id) : undefined
  if (found === undefined) missing.push(typeof id === 'string' ? id : '')
  return found?.name ?? ''
}

/** Replaces the paths of uploads that nodes take as one of their options. */
export function resolvePaths(world: World, workflow: JsonObject): void {
  const names = namesByPath(world)
  if (names.size === 0) return
  const types = nodeTypes(world)
  for (const node of workflow.values()) {
    const inputs = isObject(node) ? node.get('inputs') : undefined
    const class_type = isObject(node) ? node.get('class_type') : undefined
    if (!isObject(inputs) || typeof class_type !== 'string') continue
    for (const input of types.get(class_type)?.inputs ?? []) {
      const value = inputs.get(input.name)
      const name = typeof value === 'string' ? names.get(value) : undefined
      if (name === undefined || !isCombo(input) || optionsOf(input).includes(value as Json))
        continue
      inputs.set(input.name, name)
    }
  }
}

/** The names of the files of uploads by their paths, unless a file has that name; the latest upload counts. */
function namesByPath(world: World): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { value } of world.state.v2.assets.entries.values()) {
    const { filePath, jobId, name } = value
    if (filePath === null || jobId !== null || !isAlive(world, value)) continue
    if (get(world.state.files, fileKey('input', '', filePath)) === undefined)
      names.set(filePath, name)
  }
  return names
}
