// Settings and users [settings/*].

import { limits } from '../../../spec/limits.ts'
import { isObject, type JsonObject, writeJson } from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import type { World } from '../state/world.ts'
import { storedJson, storeSettings } from '../world/settings.ts'

const store = (world: World, settings: JsonObject): Reply =>
  storeSettings(world, settings) ? empty : refuse('internal')

const readSettings = (world: World): Reply => json(writeJson(storedJson(world)))

function readSetting(world: World, { segment }: Request): Reply {
  const settings = storedJson(world)
  if (isObject(settings)) return json(writeJson(settings.get(segment) ?? null))
  // Python looks for the id in a list or in a text, and fails if it is there or if there is neither.
  const isSearched = Array.isArray(settings) || typeof settings === 'string'
  return isSearched && !settings.includes(segment) ? json('null') : refuse('internal')
}

function changeSettings(world: World, request: Request): Reply {
  const changes = bodyJson(request)
  const settings = storedJson(world)
  if (!isObject(changes) || !isObject(settings)) return refuse('internal')
  return store(world, new Map([...settings, ...changes]))
}

function changeSetting(world: World, request: Request): Reply {
  const value = bodyJson(request)
  const settings = storedJson(world)
  if (value === undefined || !isObject(settings)) return refuse('internal')
  return store(world, settings.set(request.segment, value))
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
