// References to assets in a workflow [v2-assets/reference]: replaced by the names of their files.

import { isObject, type Json } from '../../lib/json.ts'
import type { World } from '../state/world.ts'
import { assetOf } from './asset-store.ts'

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
