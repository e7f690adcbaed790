// Bundles the package, and prints only what is wrong with it: the bundler's own command lists every file that it writes.

import { join } from 'node:path'
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'

// The first one empties the folder.
for (const config of await loadConfig(join(import.meta.dirname, '../rolldown.config.ts')))
  await build({ ...config, logLevel: 'warn' })
