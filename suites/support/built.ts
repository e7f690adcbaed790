// The built package: bundled as it is installed, or unbundled when coverage is measured.

import { join } from 'node:path'

const dist = join(import.meta.dirname, '../../dist')
const entries = { index: 'index.js', internal: 'internal.js', main: 'cli/main.js' }

/** The entries that pages or test runners load: `flowdouble/NAME`. */
const pageEntries = {
  browser: 'browser.js',
  msw: 'msw.js',
  vitest: 'edge/fixtures/vitest.js',
  playwright: 'edge/fixtures/playwright.js',
}
type PageEntry = keyof typeof pageEntries

/** The coverage tool sets this for all processes that it starts. */
export const isMeasured = process.env['NODE_V8_COVERAGE'] !== undefined

/** The file of an entry: the library, what suites use inside, the command. */
export const entry = (name: keyof typeof entries): string =>
  isMeasured ? join(dist, 'emulator', entries[name]) : join(dist, 'bundle', `${name}.cjs`)

/** The file of an entry that pages or test runners load, as it is installed. */
export const bundled = (name: PageEntry): string => join(dist, 'bundle', `${name}.js`)

/** The specifiers of these entries, each with the file that the suites load. */
export const pageAliases = (Object.keys(pageEntries) as PageEntry[]).map((name) => ({
  find: `flowdouble/${name}`,
  replacement: isMeasured ? join(dist, 'emulator', pageEntries[name]) : bundled(name),
}))
