// The user folder [userdata/*]: a tree of files in memory with limits, which no path can leave.

import { limits } from '../../../spec/limits.ts'
import type { UserEntry, UserFolder } from '../state/files.ts'
import type { World } from '../state/world.ts'
import { nameOf } from './paths.ts'

/** The maximum length of a name and a path, in bytes, as in file systems. */
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4096

export const createUserFolder = (atMs: number): UserFolder => ({
  entries: new Map([['', { bytes: null, modifiedMs: atMs, changedMs: atMs }]]),
  bytes: 0,
})

/**
 * The path for a name: decoded once more if it still contains percent signs, then without `.` and `..`. Undefined if it
 * leaves the folder.
 */
export function resolvePath(name: string): string | undefined {
  const parts: string[] = []
  const decoded = unquote(name)
  if (decoded.startsWith('/')) return undefined
  for (const part of decoded.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes valid percent escapes and keeps the rest: unlike `decodeURIComponent`, it accepts every text. */
export const unquote = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const codes = run.slice(1).split('%')
    return decoder.decode(Uint8Array.from(codes, (code) => Number.parseInt(code, 16)))
  })

const isBelow = (path: string, folder: string): boolean =>
  path !== '' && (folder === '' || path.startsWith(`${folder}/`))

/** Paths and entries below a path, at any depth, by path. */
export const entriesBelow = ({ entries }: UserFolder, path: string): [string, UserEntry][] =>
  [...entries].filter(([one]) => isBelow(one, path)).sort(([a], [b]) => (a < b ? -1 : 1))

/** Stores a file and creates its parent folders. Returns whether that was possible: otherwise nothing changes. */
export function writeFile(
  { setup: { options }, state: { userFolder: folder } }: World,
  path: string,
  bytes: Uint8Array,
  nowMs: number,
): boolean {
  const old = folder.entries.get(path)
  if (old?.bytes === null || !isPossible(path)) return false
  const total = folder.bytes + bytes.length - (old?.bytes.length ?? 0)
  const limitBytes = Math.min(limits.userdata.value, options.uploadLimitBytes)
  if (total > limitBytes || !makeRoom(folder, path, old ? 0 : 1, nowMs)) return false
  // A copy: the bytes from the edge may be part of a larger buffer.
  folder.entries.set(path, { bytes: new Uint8Array(bytes), modifiedMs: nowMs, changedMs: nowMs })
  folder.bytes = total
  return true
}

/** Whether a file system can have such a path. */
function isPossible(path: string): boolean {
  const encoder = new TextEncoder()
  const fits = (text: string, bytes: number): boolean => encoder.encode(text).length <= bytes
  if (path.includes('\0') || !fits(path, MAX_PATH_BYTES)) return false
  return path.split('/').every((name) => fits(name, MAX_NAME_BYTES))
}

/** Whether the folder of a path is there, even if it is a file, or could be created. */
export function hasPossibleFolder({ entries }: UserFolder, path: string): boolean {
  const parts = path.split('/').slice(0, -1)
  const above = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  const folder = above.at(-1) ?? ''
  if (entries.has(folder)) return true
  return isPossible(folder) && above.every((one) => (entries.get(one)?.bytes ?? null) === null)
}

/**
 * Creates the folders of a path that is about to have so many new entries. Returns false, and creates nothing, if one
 * of them is a file or there would be too many entries.
 */
function makeRoom(
  { entries }: UserFolder,
  path: string,
  newEntries: number,
  nowMs: number,
): boolean {
  const missing: string[] = []
  for (let cut = path.indexOf('/'); cut >= 0; cut = path.indexOf('/', cut + 1)) {
    const above = path.slice(0, cut)
    const known = entries.get(above)
    if (known === undefined) missing.push(above)
    else if (known.bytes !== null) return false
  }
  if (entries.size + missing.length + newEntries > limits.userdataEntries.value) return false
  for (const one of missing) entries.set(one, { bytes: null, modifiedMs: nowMs, changedMs: nowMs })
  return true
}

/** Deletes a file. */
export function deleteFile(folder: UserFolder, path: string): void {
  folder.bytes -= folder.entries.get(path)?.bytes?.length ?? 0
  folder.entries.delete(path)
}

/**
 * Moves a file, or a folder with its content; a folder as the target means into it. Returns whether that was possible:
 * otherwise nothing changes.
 */
export function move(folder: UserFolder, from: string, to: string, nowMs: number): boolean {
  const { entries } = folder
  const entry = entries.get(from)
  if (entry === undefined) return false
  if (to === from) return true
  const into = entries.get(to)?.bytes === null
  const target = into ? `${to}/${nameOf(from)}`.replace(/^\//, '') : to
  const there = entries.get(target)
  // Only a file that was named directly is overwritten, and only by a file.
  if (there !== undefined && (into || entry.bytes === null)) return false
  if (isBelow(target, from) || !isPossible(target) || !makeRoom(folder, target, 0, nowMs))
    return false
  if (there !== undefined) deleteFile(folder, target)
  const moved = entry.bytes === null ? entriesBelow(folder, from) : []
  entries.delete(from)
  entries.set(target, { ...entry, changedMs: nowMs })
  for (const [path, one] of moved) {
    entries.delete(path)
    entries.set(target + path.slice(from.length), one)
  }
  return true
}
