// The node types of the catalogue.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Their declarations, as a server returns them for GET /object_info. */
export const nodeTypesText = (): string =>
  readFileSync(join(import.meta.dirname, '../../spec/node-types.json'), 'utf8')
