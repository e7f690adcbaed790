// The built package: bundled as it is installed, or, where coverage is measured, file by file as the compiler writes it.

import { join } from 'node:path'

const dist = join(import.meta.dirname, '../../dist')
const entries = { index: 'index.js', internal: 'internal.js', main: 'cli/main.js' }

/** The tool that measures coverage says so to all processes that it starts. */
const isMeasured = process.env['NODE_V8_COVERAGE'] !== undefined

/** The file of an entry: the library, what suites see inside, the command. */
export const entry = (name: keyof typeof entries): string =>
  isMeasured ? join(dist, 'emulator', entries[name]) : join(dist, 'bundle', `${name}.cjs`)
