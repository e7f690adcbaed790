// Settings [settings/*]: a file among the user data, as real servers keep them.

import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import type { World } from '../state/world.ts'
import { timestamp } from './derived.ts'
import { writeFile } from './user-folder.ts'

const FILE = 'comfy.settings.json'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The settings; empty if the file holds no object. */
export function storedSettings(world: World): JsonObject {
  const stored = storedJson(world)
  return isObject(stored) ? stored : new Map()
}

/** The content of the file; empty settings if it is missing or not valid JSON. */
export function storedJson(world: World): Json {
  const bytes = world.state.userFolder.entries.get(FILE)?.bytes
  if (!bytes) return new Map()
  try {
    return readJson(decoder.decode(bytes))
  } catch {
    return new Map()
  }
}

/** Stores the settings. Returns whether there was enough space. */
export function storeSettings(world: World, settings: JsonObject): boolean {
  const bytes = new TextEncoder().encode(indented(settings, '\n'))
  return writeFile(world, FILE, bytes, timestamp(world))
}

/** JSON text with four spaces for each level; `lineStart` is the indentation of this one. */
function indented(value: Json, lineStart: string): string {
  const within = `${lineStart}    `
  if (Array.isArray(value) && value.length > 0) {
    return `[${within}${value.map((item) => indented(item, within)).join(`,${within}`)}${lineStart}]`
  }
  if (!isObject(value) || value.size === 0) return writeJson(value)
  const members = Array.from(
    value,
    ([key, member]) => `${JSON.stringify(key)}: ${indented(member, within)}`,
  )
  return `{${within}${members.join(`,${within}`)}${lineStart}}`
}
