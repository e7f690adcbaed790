// Finds the files of the package beside its package.json, from bundled or unbundled code.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The path of a file of the package, relative to its root. */
export function packageFile(path: string): string {
  let root = import.meta.dirname
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  return join(root, path)
}

/**
 * Loads a bundle of the package, such as `judge`. Required, since Node searches what it imports for names of exports: an
 * eighth of the start of `check`.
 */
export function packageBundle(name: string): unknown {
  const file = packageFile(`dist/bundle/${name}.cjs`)
  return createRequire(file)(file)
}
