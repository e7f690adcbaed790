// The texts of node types on Node: the built-in ones of the package, and files of the user.

import { readFileSync } from 'node:fs'
import { readNamedFile } from '../../config/named-files.ts'
import type { CatalogSources } from '../catalog.ts'
import { packageFile } from '../../config/package-files.ts'

let builtIn: string | undefined

export const nodeTypeFiles: CatalogSources = {
  // Read once: a process can start many servers.
  builtIn: () => (builtIn ??= readFileSync(packageFile('spec/node-types.json'), 'utf8')),
  readFile: (path) => readNamedFile(path).toString(),
}
