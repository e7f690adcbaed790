// How the suites run: against what is installed, or, when coverage is measured, against what the compiler writes file by file.

import { defineConfig } from 'vitest/config'
import { countingReporter } from './suites/reporter.ts'
import { entry } from './suites/support/built.ts'

export default defineConfig({
  resolve: {
    alias: [
      { find: /^flowdouble$/, replacement: entry('index') },
      { find: /^.*\/dist\/emulator\/internal\.js$/, replacement: entry('internal') },
    ],
  },
  test: {
    include: ['suites/**/*.test.ts'],
    pool: 'threads',
    // Files share what they import: each world is its own anyway, and loading it all anew takes longer than the tests.
    isolate: false,
    // The process that leads them has little to do: no core is kept free for it. A server elsewhere is one for all files.
    maxWorkers: process.env['SUBJECT_URL'] === undefined ? '100%' : 1,
    reporters: [process.env['CI'] ? 'dot' : 'default', countingReporter],
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: 20_000,
  },
})
