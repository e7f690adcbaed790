// How the suites run: against what is installed, or, when coverage is measured, against what the compiler writes file by file.
// The mode of vitest says how much of them: `quick`, by default `test`, or `long`.

import { availableParallelism } from 'node:os'
import { defaultExclude, defineConfig } from 'vitest/config'
import { modes } from './suites/modes.ts'
import { countingReporter } from './suites/reporter.ts'
import { entry, isMeasured, pageAliases } from './suites/support/built.ts'

type Mode = keyof typeof modes

export default defineConfig(({ mode }) => {
  const { include, exclude } = Object.hasOwn(modes, mode) ? modes[mode as Mode] : modes.test
  return {
    resolve: {
      alias: [
        { find: /^flowdouble$/, replacement: entry('index') },
        ...pageAliases,
        { find: /^.*\/dist\/emulator\/internal\.js$/, replacement: entry('internal') },
      ],
    },
    test: {
      globalSetup: ['suites/fresh-build.ts', 'suites/set-up/run-folder.ts'],
      include,
      // When coverage is measured, also what the bundler puts into the bundle for pages.
      setupFiles: [
        'suites/set-up/left-behind.ts',
        'suites/set-up/seeds.ts',
        ...(isMeasured ? ['suites/support/unbundled.ts'] : []),
      ],
      exclude: [...defaultExclude, ...exclude],
      env: { SUITE: mode },
      pool: 'threads',
      // Files share what they import: each world is its own anyway, and loading it all anew takes longer than the tests.
      isolate: false,
      // One more than cores: many tests wait for processes that they have started, and the process that leads them has
      // little to do.
      maxWorkers: availableParallelism() + 1,
      // What takes longer than this is a surprise; lines about the rest would hide it.
      slowTestThreshold: 20_000,
      reporters: [process.env['CI'] ? 'dot' : 'default', countingReporter],
      server: { deps: { external: [/\/dist\//] } },
      // Only what hangs is to be stopped: how fast the machine is proves nothing.
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }
})
