// A folder whose files are served: finds the file of a path, and never one outside.

import { readdirSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { usageError } from '../../../options/usage.ts'

/** A file that is open for reading; whoever has it closes it. */
export type OpenFile = {
  readonly handle: FileHandle
  readonly bytes: number
  readonly modifiedNs: bigint
}

/** The file of a path; `forbidden` for what is there and cannot be read, undefined for what is not there. */
export type Found = OpenFile | 'forbidden' | undefined

/** Finds the file of a path, percent-encoded and without the slash at its start. */
export type Folder = (path: string) => Promise<Found>

/**
 * Opens a folder. Throws a usage error for one that is none, or lacks this file.
 * @param needed a file that it must contain, and how to get one that does.
 */
export function openFolder(
  folder: string,
  flag: string,
  needed?: { readonly file: string; readonly advice: string },
): { readonly root: string; readonly find: Folder } {
  let root: string
  try {
    root = realpathSync(folder)
    // Fails for a folder that cannot be read.
    readdirSync(root)
  } catch (error) {
    throw usageError(`The folder of ${flag} cannot be used: ${(error as Error).message}.`)
  }
  if (needed !== undefined && !isFile(join(root, needed.file)))
    throw usageError(`The folder of ${flag} has no ${needed.file}: ${folder}. ${needed.advice}`)
  return { root, find: (path) => find(root, path) }
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true

async function find(root: string, path: string): Promise<Found> {
  const names = namesOf(path)
  if (names === undefined) return undefined
  try {
    // Follows links: what they lead to has to be inside, too.
    const place = await realpath(join(root, ...names))
    if (!isInside(root, place)) return undefined
    // A named pipe waits for its other end, so it is never opened.
    return (await stat(place)).isFile() ? await opened(place) : 'forbidden'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' || code === 'EPERM' ? 'forbidden' : undefined
  }
}

async function opened(place: string): Promise<OpenFile> {
  const handle = await open(place)
  try {
    const { size, mtimeNs } = await handle.stat({ bigint: true })
    return { handle, bytes: Number(size), modifiedNs: mtimeNs }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Whether a path is a folder, or below it; both are without links. */
export const isInside = (root: string, place: string): boolean =>
  place === root || place.startsWith(root.endsWith(sep) ? root : root + sep)

/** The names of a path; undefined if one of them is not the name of a file on every system. */
function namesOf(path: string): readonly string[] | undefined {
  let names: readonly string[]
  try {
    names = path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
  return names.some((name) => /^\.{0,2}$|[\0/\\]/.test(name)) ? undefined : names
}
