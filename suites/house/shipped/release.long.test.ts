// The rehearsal of a release passes in a clone of what is committed, and a wrong tag ends it with 1.

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../support/packed.ts'
import { folder } from '../../support/folder.ts'

const run = promisify(execFile)

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** npm and Node keep compiled code in the temporary folder otherwise. */
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }

const release = (script: string, ...args: readonly string[]): Promise<Ended> =>
  run(process.execPath, [script, ...args], { env, maxBuffer: Infinity }).then(
    (ended) => ({ ...ended, code: 0 }),
    (ended: Ended) => ended,
  )
const script = join(root, 'suites/release/run.mjs')

let canDownload: boolean
beforeAll(async () => {
  canDownload = await run('npm', ['view', 'ws', 'version'], { env }).then(
    () => true,
    () => false,
  )
})

// It downloads and builds everything anew: minutes, on a busy machine.
test(
  'house/release The dry run builds, installs and uses all files of a release.',
  { timeout: 900_000 },
  async ({ skip }) => {
    skip(!canDownload, 'npm cannot download packages.')
    const { code, stdout, stderr } = await release(script, 'dry')
    expect(code, stdout + stderr).toBe(stdout.includes('no python3') ? 5 : 0)
    for (const step of ['package of npm', 'use the single file', 'npm publish --dry-run'])
      expect(stdout).toMatch(new RegExp(`^passed +\\S+ s +.*${step}`, 'm'))
  },
)

test('house/release A tag of another version fails, and wrong arguments end with 2.', async () => {
  // A copy of the scripts in a project without a build: it stops after the comparison.
  const place = folder()
  mkdirSync(join(place, 'suites/release'), { recursive: true })
  for (const name of ['run.mjs', 'files.mjs', 'try.mjs', 'step.mjs', 'changelog.mjs'])
    writeFileSync(
      join(place, 'suites/release', name),
      readFileSync(join(root, 'suites/release', name)),
    )
  writeFileSync(join(place, 'package.json'), '{ "name": "flowdouble", "version": "1.2.3" }')
  writeFileSync(join(place, 'CHANGELOG.md'), '## 1.2.3 - unreleased\n\nOne.\n')
  const copy = join(place, 'suites/release/run.mjs')
  const wrong = await release(copy, 'files', '--tag', 'v1.2.4')
  expect(wrong).toMatchObject({ code: 1 })
  expect(wrong.stdout).toContain('The tag is v1.2.4, and package.json has the version 1.2.3.')
  const undated = await release(copy, 'files', '--tag', 'v1.2.3')
  expect(undated).toMatchObject({ code: 1 })
  expect(undated.stdout).toContain('has no date')
  expect(await release(copy, 'nothing')).toMatchObject({ code: 2 })
  expect(await release(copy, 'files', '--tagg')).toMatchObject({ code: 2 })
})
