// Small files, read whole and replaced atomically.

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { refused } from '../lib/refused.ts'

/** The result of looking for a file: `text` is missing if its bytes are not valid UTF-8. */
export type ReadText =
  | { readonly isThere: false }
  | { readonly isThere: true; readonly text: string | undefined; readonly mode: number }

const errorCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/**
 * The real path of a file, so that a link to it stays a link.
 * Throws a refusal for a dangling link, and for a path that cannot be followed.
 */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw refused(`${path} is a link to ${await readlink(path)}, which does not exist.`)
    if (errorCode(error) !== 'ENOENT') throw unreadable(path, error)
    const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)))
    return join(folder, basename(path))
  }
}

const unreadable = (path: string, error: unknown): Error =>
  refused(`Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}.`)

/** Reads a whole file. Throws a refusal if it cannot be read, or is not a regular file. */
export async function readText(path: string): Promise<ReadText> {
  try {
    // Non-blocking: opening a pipe would wait forever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile()) throw refused(`${path} is not a regular file.`)
      return { isThere: true, text: decoded(await file.readFile()), mode: found.mode & 0o777 }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { isThere: false }
    throw errorCode(error) === 'REFUSED' ? error : unreadable(path, error)
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const temporaryPrefix = (path: string): string => `.${basename(path)}.`
const TEMPORARY_SUFFIX = '.tmp'

/**
 * Replaces a file atomically: a reader sees the old text or the new one, even after a crash.
 * Removes leftovers of earlier writes that were killed, so only one process at a time may call it.
 * @param mode of the new file, independent of the old one.
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const folder = dirname(path)
  await removeLeftovers(path)
  const name = `${temporaryPrefix(path)}${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`
  const temporary = join(folder, name)
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
}

async function removeLeftovers(path: string): Promise<void> {
  const prefix = temporaryPrefix(path)
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith(TEMPORARY_SUFFIX)) continue
    await rm(join(dirname(path), name), { force: true })
  }
}

/** Flushes the new name to disk. Some systems cannot open a directory; they flush it themselves. */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined)
  await opened?.sync().catch(() => undefined)
  await opened?.close()
}
