// Defines the names that the bundler replaces in the bundle for pages, for the unbundled code that coverage measures.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

const text = readFileSync(join(import.meta.dirname, '../../spec/node-types.json'))

Object.assign(globalThis, {
  BUILT_IN_NODE_TYPES: deflateSync(text).toString('base64'),
  BUILT_IN_NODE_TYPES_BYTES: text.length,
})
