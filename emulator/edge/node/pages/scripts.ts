// The scripts that extend a front end: those below its folder `extensions`.

import { type Dirent, readdirSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isInside } from './folder.ts'

/** The paths of the scripts of the front end in a folder, sorted. Links are left out. */
export const scriptsIn = (root: string): readonly string[] =>
  filesBelow(root, join(root, 'extensions'))
    .filter(({ name }) => name.endsWith('.js'))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep))
    .map((names) => `/${names.map(encodeURIComponent).join('/')}`)
    .sort()

function filesBelow(root: string, folder: string): readonly Dirent[] {
  try {
    if (!isInside(root, realpathSync(folder))) return []
    const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    return all.filter((one) => one.isFile())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
