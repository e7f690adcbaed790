// The last line of a test run: how many cases passed and failed, for people and for continuous integration.

import type { Reporter } from 'vitest/node'

export const countingReporter: Reporter = {
  onTestRunEnd(modules) {
    const count = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const { state } = test.result()
        if (state === 'pending') count.skipped++
        else count[state]++
      }
      // A file that fails to load has no tests to count, and is a failure nevertheless.
      if (
        tests.length === 0 ||
        (!module.ok() && tests.every((test) => test.result().state !== 'failed'))
      ) {
        count.failed++
      }
    }
    const skipped = count.skipped > 0 ? `${count.skipped} skipped\n` : ''
    process.stdout.write(`\n${skipped}${count.passed} passed, ${count.failed} failed\n`)
  },
}
