// Settings and users [settings/*].

import { limits } from '../../../spec/limits.ts'
import { isObject, type JsonObject, writeJson } from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import type { World } from '../state/world.ts'
import { storedSettings, storeSettings } from '../world/settings.ts'

const store = (world: World, settings: JsonObject): Reply =>
  storeSettings(world, settings) ? empty : refuse('internal')

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

// All clients are the same user here, whose folder exists from the start.
export const users = (): Reply => json('{"storage": "server", "migrated": true}')

/** A new user can be added, although only the first is served. */
function addUser(world: World, request: Request): Reply {
  const body = bodyJson(request)
  const name = isObject(body) ? body.get('username') : undefined
  if (typeof name !== 'string') return refuse('internal')
  if (world.state.userNames.has(name)) return refuse('duplicateUser')
  const trimmed = name.trim()
  if (world.setup.traits.namesErrors) {
    if (trimmed === '') return refuse('userNameMissing')
    if (trimmed.startsWith('__')) return refuse('userNameReserved')
  }
  if (trimmed === '' || trimmed.length > limits.userName.value) return refuse('internal')
  if (world.state.userNames.size >= limits.users.value) return refuse('internal')
  world.state.userNames.add(trimmed)
  const id = `${trimmed.replace(/[^a-zA-Z0-9\-_]+/g, '-')}_${drawUuid(world.state.random)}`
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
