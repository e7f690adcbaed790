// Bundles the package, and prints only what is wrong with it: the bundler's own command lists every file that it writes.
// With the argument `worker` it bundles the worker instead, which is not part of the package.

import { chmod, copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'
import { buildSingleFile } from './single/build.mjs'

const root = join(import.meta.dirname, '..')

const isWorker = process.argv[2] === 'worker'

// The first one empties the folder.
for (const config of await loadConfig(join(root, 'rolldown.config.ts')))
  if ((config.output.dir === 'dist/worker') === isWorker)
    await build({ ...config, logLevel: 'warn' })

if (isWorker) {
  const configuration = join(root, 'emulator/edge/worker/config.capnp')
  await copyFile(configuration, join(root, 'dist/worker/config.capnp'))
} else {
  // As npm makes it for those who install the package: in a clone `npx flowdouble` starts this very file.
  const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  for (const file of Object.values(bin)) await chmod(join(root, file), 0o755)

  await buildSingleFile(root)
}
