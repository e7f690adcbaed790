// Whatever is left behind, a file, a server, a process or a thread, fails the test file or the run, and the message names it.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { folder } from '../../support/folder.ts'
import { startProcess } from '../../support/spawned.ts'

const root = join(import.meta.dirname, '../../..')
/** Set when this file runs itself, to see what is said of what it leaves: by its tests, or while it is loaded. */
const leaves = process.env['LEAVES_BEHIND']

const forget = (): void => writeFileSync(join(tmpdir(), 'forgotten.txt'), '')

if (leaves === 'loaded') forget()

test.runIf(leaves === 'tests')('leaves everything', async () => {
  folder()
  forget()
  await new Promise<void>((resolve) => createServer().listen(0, '127.0.0.1', resolve))
  // It ends with its standard input, which ends with this process.
  spawn('cat')
  const thread = new Worker('setInterval(() => {}, 1000)', { eval: true })
  await new Promise((resolve) => thread.once('online', resolve))
})

/** Runs this file so that it leaves something. */
const runLeaving = (what: 'tests' | 'loaded') => {
  const argv = ['npx', 'vitest', 'run', 'suites/house/suites/left-behind.test.ts']
  return startProcess('env', [`LEAVES_BEHIND=${what}`, ...argv], root).ends
}

test.skipIf(leaves)('a file fails for what its tests leave, which its message names', async () => {
  const { code, stderr } = await runLeaving('tests')
  expect(code).toBe(1)
  const [, named = ''] = /leaves behind:\n(.*?)\n ❯/s.exec(stderr) ?? []
  const place = 'at /.*/suites/house/suites/left-behind\\.test\\.ts:\\d+:\\d+'
  expect(named.split('\n')).toEqual([
    'forgotten.txt in the temporary folder',
    expect.stringMatching(`^a server at .*"port":\\d+}, ${place}$`),
    expect.stringMatching(`^a process: cat, ${place}$`),
    expect.stringMatching(`^a thread, ${place}$`),
  ])
})

test.skipIf(leaves)('a run fails for what else is left in its temporary folder', async () => {
  const { code, stdout, stderr } = await runLeaving('loaded')
  expect(stdout).toContain('0 failed')
  expect(stderr).toContain('The run left these in its temporary folder: forgotten.txt')
  expect(code).toBe(1)
})
