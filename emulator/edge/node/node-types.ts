// The texts of node types on Node: the built-in ones of the package, and files of the user.

import { inflateSync } from 'node:zlib'
import { readNamedFile } from '../../config/named-files.ts'
import type { CatalogSources } from '../catalog.ts'
import { readPackageFile } from '../../config/package-files.ts'

let builtIn: string | undefined

/** The node types of later generations, in the file that pages load too: few servers need them. */
function laterTypes(): string {
  const text = readPackageFile('dist/bundle/later-node-types.js').toString('latin1')
  // The only long word in it.
  const [deflated = ''] = /[\w+/=]{1000,}/.exec(text) ?? []
  return inflateSync(Buffer.from(deflated, 'base64')).toString()
}

export const nodeTypeFiles: CatalogSources = {
  // Read once: a process can start many servers.
  builtIn: () => (builtIn ??= readPackageFile('spec/node-types.json').toString()),
  later: laterTypes,
  readFile: (path) => readNamedFile(path).toString(),
}
