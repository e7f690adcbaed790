// Settings and users [settings/*]. Settings are a file among the user data, as real servers keep them.

import { limits } from '../../../spec/limits.ts'
import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import { writeFile } from '../world/user-folder.ts'
import { timestamp } from '../world/world.ts'
import type { World } from '../state/world.ts'

const FILE = 'comfy.settings.json'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The settings; none where the file is missing, or is not what it was written as. */
export function storedSettings(world: World): JsonObject {
  const bytes = world.userFolder.entries.get(FILE)?.bytes
  if (!bytes) return new Map()
  try {
    const stored = readJson(decoder.decode(bytes))
    return isObject(stored) ? stored : new Map()
  } catch {
    return new Map()
  }
}

/** Keeps the settings. Tells whether there was room for them. */
export function storeSettings(world: World, settings: JsonObject): boolean {
  const bytes = new TextEncoder().encode(indented(settings, '\n'))
  return writeFile(world.userFolder, FILE, bytes, timestamp(world))
}

const store = (world: World, settings: JsonObject): Reply =>
  storeSettings(world, settings) ? empty : refuse('internal')

/** JSON text with four blanks for each level; `lineStart` begins the lines of this one. */
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

const readSettings = (world: World): Reply => json(writeJson(storedSettings(world)))

const readSetting = (world: World, { segment }: Request): Reply =>
  json(writeJson(storedSettings(world).get(segment) ?? null))

function changeSettings(world: World, request: Request): Reply {
  const changes = bodyJson(request)
  if (!isObject(changes)) return refuse('internal')
  return store(world, new Map([...storedSettings(world), ...changes]))
}

function changeSetting(world: World, request: Request): Reply {
  const value = bodyJson(request)
  if (value === undefined) return refuse('internal')
  return store(world, storedSettings(world).set(request.segment, value))
}

// Everybody is the same user here, whose folder is there from the start.
export const users = (): Reply => json('{"storage": "server", "migrated": true}')

/** A new user can be added, although none but the first is served. */
function addUser(world: World, request: Request): Reply {
  const body = bodyJson(request)
  const name = isObject(body) ? body.get('username') : undefined
  if (typeof name !== 'string') return refuse('internal')
  if (world.userNames.has(name)) return refuse('duplicateUser')
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > limits.userName.value) return refuse('internal')
  if (world.userNames.size >= limits.users.value) return refuse('internal')
  world.userNames.add(trimmed)
  const id = `${trimmed.replace(/[^a-zA-Z0-9\-_]+/g, '-')}_${drawUuid(world.random)}`
  return json(JSON.stringify(id))
}

export const settingsHandlers = {
  readSettings,
  changeSettings,
  readSetting,
  changeSetting,
  users,
  addUser,
} as const
