// The subscriptions file: read as it is, changed by one process at a time, replaced in one step, never lost.

import { dirname, join } from 'node:path'
import { configFiles } from '../../../spec/gateway/subscriptions.ts'
import { isFolder, makeWritableFolder } from '../../client/folders.ts'
import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import { isRefused, refused } from '../../lib/refused.ts'
import { readText, realPlace, replaceFile } from '../../config/files.ts'
import { withLock } from '../../config/lock.ts'

const { name: fileName, mode } = configFiles.subscriptions

/** Where the subscriptions of a configuration directory stand. */
export const subscriptionsPath = (dir: string): string => join(dir, fileName)

/** The members of a subscriptions file by name, or undefined for a text that is no JSON object. */
function parseSubscriptions(text: string): JsonObject | undefined {
  try {
    const value = readJson(text.replace(/^\uFEFF/, ''))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The members of the file, none where there is no file. Throws a refusal where the file is corrupt, or cannot be read.
 */
export async function readSubscriptions(dir: string): Promise<JsonObject> {
  return requireSound(await findSubscriptions(dir), subscriptionsPath(dir))
}

/**
 * Throws a refusal for a corrupt file, which stays where it is: a running gateway keeps serving the routes that it had,
 * as long as the file is there [subscriptions/corrupt-file].
 */
function requireSound(entries: JsonObject | undefined, path: string): JsonObject {
  if (entries !== undefined) return entries
  throw refused(
    `${path} is corrupt: it holds no JSON object. It was left as it is; a gateway that runs keeps its routes. ` +
      'Mend it by hand, or take it away to start anew.',
  )
}

/**
 * Changes the members of the file while no other command does. `change` works on the members themselves; nothing is
 * written when it throws. Resolves to its result. Throws a refusal where the file is corrupt, has members that are no
 * routes, or cannot be written.
 */
export async function changeSubscriptions<T>(
  dir: string,
  change: (entries: JsonObject) => T,
): Promise<T> {
  return locked(dir, async (path) => {
    const entries = requireSound(await findSubscriptions(dir), path)
    requireLoadable(entries)
    const result = change(entries)
    await replaceFile(path, `${indented(entries)}\n`, mode)
    return result
  })
}

/** The members of the file; undefined stands for a corrupt one. Throws a refusal where it cannot be read. */
export async function findSubscriptions(dir: string): Promise<JsonObject | undefined> {
  const read = await readText(await realPlace(subscriptionsPath(dir)))
  return read.isThere
    ? read.text === undefined
      ? undefined
      : parseSubscriptions(read.text)
    : new Map()
}

/** Holds the lock beside the file, which can be elsewhere when it is a link. */
async function locked<T>(dir: string, work: (path: string) => Promise<T>): Promise<T> {
  try {
    const path = await realPlace(subscriptionsPath(dir))
    if (!(await isFolder(dirname(path)))) await makeWritableFolder(dirname(path))
    return await withLock(path, () => work(path))
  } catch (error) {
    if (isRefused(error) || !(error instanceof Error) || !('syscall' in error)) throw error
    throw refused(`The subscriptions in ${dir} cannot be written: ${error.message}.`)
  }
}

/** The names of members that are no routes: a gateway does not load a file with one. */
export const strayNames = (entries: JsonObject): readonly string[] =>
  [...entries].flatMap(([name, entry]) => (isObject(entry) ? [] : name))

/** Throws a refusal where a gateway would not load the file, so that a change of it would do nothing. */
function requireLoadable(entries: JsonObject): void {
  const names = strayNames(entries).map((name) => JSON.stringify(name))
  if (names.length === 0) return
  throw refused(
    `${fileName} has members that are no routes: ${names.join(', ')}. A gateway does not load the file with them; ` +
      'nothing was changed. Take them out by hand.',
  )
}

/** JSON as people edit it: members on lines of their own, two blanks a level. */
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
