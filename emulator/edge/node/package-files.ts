// Where the files of the package are: beside its package.json, from wherever its code runs, bundled or not.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The place of a file of the package, named from its root. */
export function packageFile(path: string): string {
  let root = import.meta.dirname
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  return join(root, path)
}
