// The way of a request stays short and fast: whoever follows one through the code opens few files, and none of the functions
// that it calls uses what V8 is slow at.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Its counts are those of the calls between two of its reports: nothing else may read them.
const { NODE_V8_COVERAGE: _, ...env } = process.env
const script = join(import.meta.dirname, 'files-passed.mjs')
const report = JSON.parse(execFileSync(process.execPath, [script], { env, encoding: 'utf8' })) as {
  readonly passed: Readonly<Record<string, readonly string[]>>
  readonly leadingSpreads: readonly string[]
}

/** What belongs to the language rather than to a server: JSON, Python's values, heaps. */
const library = /^lib\//

test.each([
  ['GET /history/ID', 25],
  ['POST /prompt', 40],
])('%s passes at most %d files until it is answered', (request, most) => {
  const files = (report.passed[request] ?? []).filter((file) => !library.test(file))
  expect(files).toContain('server/step.js')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most)
})

test('code that runs for each request names the members of its objects, or uses Object.assign', () => {
  expect(Object.values(report.passed).flat()).toContain('gateway/step.js')
  expect(report.leadingSpreads).toEqual([])
})
