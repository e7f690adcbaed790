// The way of a request stays short: whoever follows one through the code opens few files.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, 'files-passed.mjs')

/** What belongs to the language rather than to a server: JSON, Python's values, heaps. */
const library = /^lib\//

const most = { 'GET /history/ID': 25, 'POST /prompt': 40 }

test('a request passes few files until it is answered', () => {
  // Its counts are those of the calls between two of its reports: nothing else may read them.
  const { NODE_V8_COVERAGE: _, ...env } = process.env
  const passed = JSON.parse(
    execFileSync(process.execPath, [script], { env, encoding: 'utf8' }),
  ) as Record<string, string[]>
  for (const [request, limit] of Object.entries(most)) {
    const files = (passed[request] ?? []).filter((file) => !library.test(file))
    expect(files).toContain('server/step.js')
    expect(files.length, `${request} passes:\n${files.join('\n')}`).toBeLessThanOrEqual(limit)
  }
})
