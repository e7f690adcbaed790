// Settings on hosted [settings/hosted-*]: a write returns the stored value, and a single setting is wrapped in an
// object.

import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import { badRequest, json, refuseHosted, type Reply } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import { users } from '../local/settings.ts'
import type { World } from '../state/world.ts'
import { storedSettings, storeSettings } from '../world/settings.ts'

/** Stores the settings. Returns a refusal if they are too large. */
const store = (world: World, settings: JsonObject): Reply | undefined =>
  storeSettings(world, settings) ? undefined : badRequest('These settings are too large.')

const one = (value: Json): Reply => json(writeJson(new Map([['value', value]])))

const readSettings = (world: World): Reply => json(writeJson(storedSettings(world)))

function readSetting(world: World, { segment }: Request): Reply {
  const value = storedSettings(world).get(segment)
  return value === undefined ? refuseHosted('notFound') : one(value)
}

/** The object in a body: some clients send it as a JSON string that contains JSON. */
function changesIn(request: Request): JsonObject | undefined {
  let body = bodyJson(request)
  if (typeof body === 'string') {
    try {
      body = readJson(body)
    } catch {
      return undefined
    }
  }
  return isObject(body) ? body : undefined
}

function changeSettings(world: World, request: Request): Reply {
  const changes = changesIn(request)
  if (changes === undefined) return badRequest('Settings are a JSON object.')
  const settings: JsonObject = new Map([...storedSettings(world), ...changes])
  return store(world, settings) ?? json(writeJson(settings))
}

function changeSetting(world: World, request: Request): Reply {
  const value = bodyJson(request)
  if (value === undefined) return badRequest('A setting is a JSON value.')
  return store(world, storedSettings(world).set(request.segment, value)) ?? one(value)
}

export const settingsHandlers = {
  readSettings,
  changeSettings,
  readSetting,
  changeSetting,
  users,
} as const
