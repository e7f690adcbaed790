// The coverage measurement can fail too: it reports a function that never ran.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../support/packed.ts'
import { folder } from '../support/folder.ts'

type FileCoverage = {
  readonly fnMap: Readonly<Record<string, { readonly name: string }>>
  readonly f: Readonly<Record<string, number>>
}

test('coverage counts the functions that ran, and reports those that never did', async () => {
  const reports = folder()
  const c8 = join(root, 'node_modules/c8/bin/c8.js')
  const flags = ['--reporter', 'json', '--reports-dir', reports, '--temp-directory', folder()]
  const measured = [process.execPath, join(root, 'dist/emulator/cli/main.js'), 'quirks']
  await promisify(execFile)(process.execPath, [c8, ...flags, ...measured], { cwd: root })
  const files = JSON.parse(readFileSync(join(reports, 'coverage-final.json'), 'utf8')) as Readonly<
    Record<string, FileCoverage>
  >
  const { fnMap, f } = files[join(root, 'emulator/cli/main.ts')] ?? { fnMap: {}, f: {} }
  const counts = Object.fromEntries(Object.entries(fnMap).map(([id, { name }]) => [name, f[id]]))
  expect(counts).toMatchObject({ main: 1, quirks: 1, webhook: 0, hidden: 0 })
  // Files that nothing loads are listed too.
  expect(Object.keys(files)).toContain(join(root, 'emulator/client/run.ts'))
})
