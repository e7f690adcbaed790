// The subscriptions file: changed by one process at a time, replaced atomically, never lost.

import { dirname, join } from 'node:path'
import { configFiles } from '../../../spec/gateway/subscriptions.ts'
import { isFolder, makeWritableFolder } from '../../config/folders.ts'
import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import { isRefused, refused } from '../../lib/refused.ts'
import { dropExpired } from '../../gateway/subscriptions.ts'
import { readText, realPlace, replaceFile } from '../../config/files.ts'
import { withLock } from '../../config/lock.ts'

const { name: fileName, mode } = configFiles.subscriptions

/** The path of the subscriptions in a configuration directory. */
export const subscriptionsPath = (dir: string): string => join(dir, fileName)

/** The members of a subscriptions file by name; undefined for text that is not a JSON object. */
function parseSubscriptions(text: string): JsonObject | undefined {
  try {
    const value = readJson(text.replace(/^\uFEFF/, ''))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The members of the file; none if it does not exist. Throws a refusal if the file is corrupt or cannot be read.
 */
export async function readSubscriptions(dir: string): Promise<JsonObject> {
  return requireSound(await findSubscriptions(dir), subscriptionsPath(dir))
}

/**
 * Throws a refusal for a corrupt file and leaves it alone: a running gateway keeps serving its routes as long as
 * the file exists [subscriptions/corrupt-file].
 */
function requireSound(entries: JsonObject | undefined, path: string): JsonObject {
  if (entries !== undefined) return entries
  throw refused(
    `${path} is corrupt: it does not contain a JSON object. The file is unchanged; a running gateway keeps its routes.  ` +
      'Repair it by hand, or remove it to start over.',
  )
}

/**
 * Changes the members of the file while holding its lock. `change` modifies the members in place; if it throws, nothing
 * is written. Resolves to its result. Throws a refusal if the file is corrupt, has members that are not valid routes, or
 * cannot be written.
 */
export async function changeSubscriptions<T>(
  dir: string,
  change: (entries: JsonObject) => T,
): Promise<T> {
  return locked(dir, async (path) => {
    const entries = requireSound(await findSubscriptions(dir), path)
    requireLoadable(entries)
    const result = change(entries)
    for (const entry of entries.values()) if (isObject(entry)) dropExpired(entry, Date.now())
    await replaceFile(path, `${indented(entries)}\n`, mode)
    return result
  })
}

/** The members of the file; undefined for a corrupt one. Throws a refusal if it cannot be read. */
export async function findSubscriptions(dir: string): Promise<JsonObject | undefined> {
  const read = await readText(await realPlace(subscriptionsPath(dir)))
  return read.isThere
    ? read.text === undefined
      ? undefined
      : parseSubscriptions(read.text)
    : new Map()
}

/** Holds the lock beside the real file, which a link can place elsewhere. */
async function locked<T>(dir: string, work: (path: string) => Promise<T>): Promise<T> {
  try {
    const path = await realPlace(subscriptionsPath(dir))
    if (!(await isFolder(dirname(path)))) await makeWritableFolder(dirname(path))
    return await withLock(path, () => work(path))
  } catch (error) {
    if (isRefused(error) || !(error instanceof Error) || !('syscall' in error)) throw error
    throw refused(`Cannot write the subscriptions in ${dir}: ${error.message}.`)
  }
}

/** The names of members that are not valid routes: a gateway does not load a file with one. */
export const invalidNames = (entries: JsonObject): readonly string[] =>
  [...entries].flatMap(([name, entry]) => (isObject(entry) ? [] : name))

/** Throws a refusal if a gateway would not load the file, so that a change would have no effect. */
function requireLoadable(entries: JsonObject): void {
  const names = invalidNames(entries).map((name) => JSON.stringify(name))
  if (names.length === 0) return
  throw refused(
    `${fileName} has members that are not valid routes: ${names.join(', ')}. A gateway does not load the file with them, so  ` +
      'nothing was changed. Remove them by hand.',
  )
}

/** JSON for people: one member per line, indented by two spaces. */
function indented(value: Json, margin = ''): string {
  const inner = `${margin}  `
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    const items = value.map((item) => inner + indented(item, inner))
    return `[\n${items.join(',\n')}\n${margin}]`
  }
  if (!isObject(value) || value.size === 0) return writeJson(value)
  const members = [...value].map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${indented(member, inner)}`,
  )
  return `{\n${members.join(',\n')}\n${margin}}`
}
