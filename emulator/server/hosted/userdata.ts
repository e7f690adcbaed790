// User data on hosted [userdata/hosted-*]: files with slashes in their names, listed as objects; folders are not files.

import type { hostedUserFile, hostedUserFiles } from '../../../spec/server/userdata.ts'
import type { Static } from '../../../spec/static.ts'
import { json, type Reply, refuseHosted } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import { deleteFile, entriesBelow, move, resolvePath, writeFile } from '../world/user-folder.ts'
import { isOn, isVisible, isTaken } from '../local/userdata.ts'
import { timestamp } from '../world/derived.ts'
import type { UserEntry } from '../state/files.ts'
import type { World } from '../state/world.ts'

const fileInfo = (path: string, entry: UserEntry): Static<typeof hostedUserFile> => ({
  path,
  size: entry.bytes?.length ?? 0,
  modified: entry.modifiedMs,
})

/** The files of a folder: all of them unless the query names a folder, with paths relative to it. */
function listUserdata(world: World, { query }: Request): Reply {
  const folder = resolvePath(parameter(query, 'dir') ?? '')
  if (folder === undefined) return refuseHosted('userFolderOutside')
  if (!world.state.userFolder.entries.has(folder)) return refuseHosted('userFolderUnknown')
  const recurse = isOn(query, 'recurse')
  const files: Static<typeof hostedUserFiles> = entriesBelow(
    world.state.userFolder,
    folder,
  ).flatMap(([path, entry]) => {
    const name = folder === '' ? path : path.slice(folder.length + 1)
    return isVisible(name, entry, recurse) ? fileInfo(name, entry) : []
  })
  return json(JSON.stringify(files))
}

/** The file that a path parameter names, with its bytes, or the refusal: outside the folder, or not found. */
function existing(world: World, name: string): { path: string; bytes: Uint8Array } | Reply {
  const path = resolvePath(name)
  if (path === undefined) return refuseHosted('userPathOutside')
  const bytes = world.state.userFolder.entries.get(path)?.bytes
  return bytes ? { path, bytes } : refuseHosted('userFileUnknown')
}

function readUserdata(world: World, { segment }: Request): Reply {
  const found = existing(world, segment)
  if ('status' in found) return found
  const headers = { 'Content-Type': 'application/octet-stream' }
  return { status: 200, headers, body: found.bytes }
}

function writeUserdata(world: World, { segment, query, body }: Request): Reply {
  const path = resolvePath(segment)
  if (path === undefined) return refuseHosted('userPathOutside')
  if (isTaken(world, query, path)) return refuseHosted('userFileExists')
  return written(world, path, writeFile(world, path, body, timestamp(world)))
}

function deleteUserdata(world: World, { segment }: Request): Reply {
  const found = existing(world, segment)
  if ('status' in found) return found
  deleteFile(world.state.userFolder, found.path)
  return { status: 204, headers: {}, body: '' }
}

function moveUserdata(world: World, { segments: [source = '', dest = ''], query }: Request): Reply {
  const found = existing(world, source)
  if ('status' in found) return found
  const target = resolvePath(dest)
  if (target === undefined) return refuseHosted('userPathOutside')
  if (isTaken(world, query, target)) return refuseHosted('userFileExists')
  // A file cannot have the name of a folder.
  const isFolder = world.state.userFolder.entries.get(target)?.bytes === null
  const isMoved = !isFolder && move(world.state.userFolder, found.path, target, timestamp(world))
  return written(world, target, isMoved)
}

/** The reply to a write or a move. */
function written(world: World, path: string, isDone: boolean): Reply {
  const entry = world.state.userFolder.entries.get(path)
  if (!isDone || entry === undefined) return refuseHosted('userFileRefused')
  return json(JSON.stringify(fileInfo(path, entry)))
}

export const userdataHandlers = {
  listUserdata,
  readUserdata,
  writeUserdata,
  deleteUserdata,
  moveUserdata,
} as const
