// Defines the names that the bundler replaces in the bundle for pages, for the unbundled code that coverage measures.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

const packed = (name: string): readonly [deflated: string, bytes: number] => {
  const text = readFileSync(join(import.meta.dirname, '../../spec', name))
  return [deflateSync(text).toString('base64'), text.length]
}

Object.assign(globalThis, {
  BUILT_IN_NODE_TYPES: packed('node-types.json'),
  LATER_NODE_TYPES: packed('later-node-types.json'),
})
