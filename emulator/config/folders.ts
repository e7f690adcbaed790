// Creates folders for outputs.

import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents, and checks that it is writable.
 * Throws the system's error if it is not.
 */
export async function makeWritableFolder(path: string): Promise<void> {
  await makeFolder(path)
  await access(path, constants.W_OK)
}

/** Level by level: Node's recursive `mkdir` never returns below some system folders, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path).catch(async (error: unknown) => {
    // Another process may have created it meanwhile.
    if (!(await isFolder(path))) throw error
  })
}

/** Whether there is a folder at this path. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
