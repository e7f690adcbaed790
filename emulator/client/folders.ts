// Makes folders for outputs.

import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, and makes sure that files can be written there.
 * Throws the system's error where that is not possible.
 */
export async function makeWritableFolder(path: string): Promise<void> {
  await makeFolder(path)
  await access(path, constants.W_OK)
}

/** Level by level: the recursive `mkdir` of Node never ends below some folders of the system, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path).catch(async (error: unknown) => {
    // Somebody else may have made it in the meantime.
    if (!(await isFolder(path))) throw error
  })
}

/** Whether there is a folder at this path. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
