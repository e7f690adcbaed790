// The built package: bundled as it is installed, or unbundled when coverage is measured.

import { join } from 'node:path'

const dist = join(import.meta.dirname, '../../dist')
const entries = { index: 'index.js', internal: 'internal.js', main: 'cli/main.js' }

/** The coverage tool sets this for all processes that it starts. */
const isMeasured = process.env['NODE_V8_COVERAGE'] !== undefined

/** The file of an entry: the library, what suites use inside, the command. */
export const entry = (name: keyof typeof entries): string =>
  isMeasured ? join(dist, 'emulator', entries[name]) : join(dist, 'bundle', `${name}.cjs`)

/** The file of an entry that pages or test runners load: these exist bundled only. */
export const bundled = (name: string): string => join(dist, 'bundle', `${name}.js`)
