// User data [userdata/*]: listing, reading, writing, deleting and moving the files of the user.

import { floatOf, type Json, type JsonObject, writeJson } from '../../lib/json.ts'
import { json, noContent, type Reply, refuse } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import type { Headers } from '../../machine.ts'
import { mediaType } from '../world/content-types.ts'
import { guardFile, neverSniffed, UNKNOWN_TYPE } from '../world/guarded-files.ts'
import { fileFacts } from '../world/files.ts'
import {
  deleteFile,
  entriesBelow,
  hasPossibleFolder,
  move,
  resolvePath,
  unquote,
  writeFile,
} from '../world/user-folder.ts'
import { nameOf } from '../world/paths.ts'
import { timestamp } from '../world/derived.ts'
import type { UserEntry } from '../state/files.ts'
import type { World } from '../state/world.ts'

/** Whether the query enables an option. */
export const isOn = (query: string, name: string): boolean =>
  parameter(query, name)?.toLowerCase() === 'true'

const seconds = (ms: number): Json => floatOf(ms / 1000)

/** A time as the server lists it. */
const timeOf = ({ setup }: World, ms: number): Json =>
  setup.traits.userTimes === 'seconds' ? seconds(ms) : Math.trunc(ms)

const fileInfo = (world: World, path: string, entry: UserEntry): JsonObject =>
  new Map<string, Json>([
    ['path', path],
    ['size', entry.bytes?.length ?? 0],
    ['modified', timeOf(world, entry.modifiedMs)],
    ['created', timeOf(world, entry.changedMs)],
  ])

/** Whether a listing includes a file of this name: not if it starts with a dot, and in subfolders only if requested. */
export function isVisible(name: string, { bytes }: UserEntry, recurse: boolean): boolean {
  const parts = name.split('/')
  const isHidden = parts.some((part) => part.startsWith('.'))
  return bytes !== null && !isHidden && (recurse || parts.length === 1)
}

/** The files of a folder, in the form that the query requests. */
function listUserdata(world: World, { query }: Request): Reply {
  const asked = parameter(query, 'dir') ?? ''
  if (asked === '') return refuse('directoryMissing')
  const folder = resolvePath(asked)
  if (folder === undefined) return refuse('directoryInvalid')
  if (!world.state.userFolder.entries.has(folder)) return refuse('directoryUnknown')
  const [recurse, full, split] = [
    isOn(query, 'recurse'),
    isOn(query, 'full_info'),
    isOn(query, 'split'),
  ]
  const items: Json[] = []
  for (const [path, entry] of entriesBelow(world.state.userFolder, folder)) {
    const name = folder === '' ? path : path.slice(folder.length + 1)
    if (!isVisible(name, entry, recurse)) continue
    items.push(full ? fileInfo(world, name, entry) : split ? [name, ...name.split('/')] : name)
  }
  return json(writeJson(items))
}

/** Folders and files below a path: folders first, then by name. */
function browseUserdata(world: World, { query }: Request): Reply {
  // Decoded by the query, by the handler and by the lookup, as on real servers.
  const folder = resolvePath(unquote(parameter(query, 'path') ?? ''))
  if (folder === undefined) return refuse('pathInvalid')
  const found = world.state.userFolder.entries.get(folder)
  if (found === undefined) return refuse('pathUnknown')
  if (found.bytes !== null) return refuse('pathNoDirectory')
  const items = entriesBelow(world.state.userFolder, folder).map(([path, entry]) => ({
    entry,
    path,
    name: nameOf(path),
    key: `${entry.bytes === null ? 0 : 1}${nameOf(path).toLowerCase()}`,
  }))
  items.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const listed = items.map(({ entry, path, name }) => {
    const type = entry.bytes === null ? 'directory' : 'file'
    const item: JsonObject = new Map([
      ['name', name],
      ['path', path],
      ['type', type],
    ])
    if (entry.bytes === null) return item
    return item.set('size', entry.bytes.length).set('modified', seconds(entry.modifiedMs))
  })
  return json(writeJson(listed))
}

/** The path in a path parameter and its entry, or the refusal: outside the folder, or not found. */
function existing(world: World, name: string): { path: string; entry: UserEntry } | Reply {
  const path = resolvePath(name)
  if (path === undefined) return refuse('forbiddenEmpty')
  if (!hasPossibleFolder(world.state.userFolder, path)) return refuse('internal')
  const entry = world.state.userFolder.entries.get(path)
  return entry === undefined ? refuse('notFoundEmpty') : { path, entry }
}

function readUserdata(world: World, { segment, headers: asked }: Request): Reply {
  const found = existing(world, segment)
  if ('status' in found) return found
  const { path, entry } = found
  if (entry.bytes === null)
    return refuse('folderAsFile', world.setup.traits.guardsFiles ? download : {})
  const file = fileFacts(entry.modifiedMs, { bytes: entry.bytes })
  return { status: 200, headers: headersOf(world, path, asked), body: entry.bytes, file }
}

const download = { 'Content-Disposition': 'attachment', ...neverSniffed } as const

/** The headers of a file: since 2026 each is a download, except for the style sheet of the user. */
function headersOf(world: World, path: string, asked: Headers): Readonly<Record<string, string>> {
  const { guardsFiles, showsUserStyle } = world.setup.traits
  if (!guardsFiles) return { 'Content-Type': mediaType(path) ?? UNKNOWN_TYPE }
  if (showsUserStyle && path === 'user.css')
    return { 'Content-Type': 'text/css', 'Content-Disposition': 'inline', ...neverSniffed }
  const { type, headers } = guardFile(world, mediaType(path) ?? UNKNOWN_TYPE, asked)
  return { 'Content-Type': type, 'Content-Disposition': 'attachment', ...headers }
}

function writeUserdata(world: World, { segment, query, body }: Request): Reply {
  const path = resolvePath(segment)
  if (path === undefined) return refuse('forbiddenEmpty')
  // Python raises a different error for it than for other names.
  if (path.includes('\0') || !hasPossibleFolder(world.state.userFolder, path))
    return refuse('internal')
  if (isTaken(world, query, path)) return refuse('fileExists')
  const isWritten = writeFile(world, path, body, timestamp(world))
  return isWritten ? written(world, query, path) : refuse('fileNotWritten')
}

function deleteUserdata(world: World, { segment }: Request): Reply {
  const found = existing(world, segment)
  if ('status' in found) return found
  if (found.entry.bytes === null) return refuse('internal')
  deleteFile(world.state.userFolder, found.path)
  return noContent
}

function moveUserdata(world: World, { segments, query }: Request): Reply {
  const [source = '', dest = ''] = segments
  const found = existing(world, source)
  if ('status' in found) return found
  const target = resolvePath(dest)
  if (target === undefined)
    return refuse(world.setup.traits.namesErrors ? 'forbiddenEmpty' : 'internal')
  if (isTaken(world, query, target)) return refuse('fileExists')
  const isMoved = move(world.state.userFolder, found.path, target, timestamp(world))
  return isMoved ? written(world, query, target) : refuse('internal')
}

/** Whether the path exists, and the query forbids overwriting. */
export const isTaken = (world: World, query: string, path: string): boolean =>
  parameter(query, 'overwrite') === 'false' && world.state.userFolder.entries.has(path)

/** The reply to a write or a move. */
function written(world: World, query: string, path: string): Reply {
  const entry = world.state.userFolder.entries.get(path)
  const full = entry !== undefined && isOn(query, 'full_info')
  return json(writeJson(full ? fileInfo(world, path, entry) : path))
}

export const userdataHandlers = {
  listUserdata,
  browseUserdata,
  readUserdata,
  writeUserdata,
  deleteUserdata,
  moveUserdata,
} as const
