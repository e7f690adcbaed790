// The endpoints below /internal/ that the front end uses [internal/*]: the log, the paths of folders, and the files in
// them.

import { isObject, type Json, readJson } from '../../lib/json.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { folderNames } from '../nodes/catalog.ts'
import { latestLines, lineEntry, lineText, subscribe } from '../world/log.ts'
import { folderPaths as pathsOf } from './catalog.ts'
import { folderTypes } from '../world/paths.ts'
import { isTruthy } from '../../lib/python.ts'
import type { World } from '../state/world.ts'

const logs = (world: World): Reply => {
  const lines = latestLines(world.state.log).map(lineText)
  return json(JSON.stringify(lines.join('')))
}

const rawLogs = (world: World): Reply => {
  const entries = latestLines(world.state.log).map(lineEntry).join(', ')
  return json(`{"entries": [${entries}], "size": {"cols": 80, "rows": 24}}`)
}

function subscribeLogs(world: World, request: Request): Reply {
  let body: Json
  try {
    body = readJson(bodyText(request))
  } catch {
    return refuse('internal')
  }
  const clientId = isObject(body) ? body.get('clientId') : undefined
  const enabled = isObject(body) ? body.get('enabled') : undefined
  if (clientId === undefined || enabled === undefined || !isHashable(clientId))
    return refuse('internal')
  // No socket has an id of another type: ignore it.
  if (typeof clientId === 'string') subscribe(world, clientId, isTruthy(enabled))
  return empty
}

/** Whether Python can store a value in a set. */
const isHashable = (value: Json): boolean => !isObject(value) && !Array.isArray(value)

const folderPaths = (world: World): Reply =>
  json(JSON.stringify(Object.fromEntries(folderNames(world).map((name) => [name, pathsOf(name)]))))

function folderFiles(world: World, { segment }: Request): Reply {
  if (!folderTypes.some((type) => type === segment)) return refuse('directoryType')
  const { hidesDots, annotatesFiles } = world.setup.traits
  const top = `${segment}//`
  const found = [...world.state.files.entries]
    .map(([key, { value }]) => ({ name: key.slice(top.length), isTop: key.startsWith(top), value }))
    .filter(({ name, isTop }) => isTop && (!hidesDots || !name.startsWith('.')))
  // Of files with the same time, the one stored later is newer.
  found.reverse().sort((a, b) => b.value.modifiedMs - a.value.modifiedMs)
  const mark = annotatesFiles ? ` [${segment}]` : ''
  return json(JSON.stringify(found.map(({ name }) => name + mark)))
}

export const internalHandlers = {
  logs,
  rawLogs,
  subscribeLogs,
  folderPaths,
  folderFiles,
} as const
