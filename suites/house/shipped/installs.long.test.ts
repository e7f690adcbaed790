// Installing the package beside today's msw and vitest prints no warning, whatever the version of Node. npm downloads them, and
// other versions of Node.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { pack } from '../../support/packed.ts'
import { folder } from '../../support/folder.ts'

const run = promisify(execFile)

/** npm keeps compiled code in the temporary folder otherwise. */
const quiet = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1', npm_config_loglevel: 'warn' }

/** Node 20 is the one at hand, and msw 3 says itself that it needs a newer one. */
const rows = [
  { node: process.versions.node, msw: '2' },
  { node: '22', msw: 'latest' },
  { node: '24', msw: 'latest' },
]

/** Runs npm with a version of Node, in an empty folder, and resolves to what it prints on standard error. */
async function npmOn(node: string): Promise<(...argv: readonly string[]) => Promise<string>> {
  const place = folder()
  writeFileSync(join(place, 'package.json'), '{}')
  const argv = ['--yes', '--package', `node@${node}`, '--call', 'command -v node']
  const { stdout } =
    node === process.versions.node
      ? { stdout: process.execPath }
      : await run('npx', argv, { cwd: place, env: quiet })
  const path = `${join(stdout.trim(), '..')}:${process.env['PATH']}`
  return async (...args) => {
    const env = { ...quiet, PATH: path }
    const done = await run('npm', args, { cwd: place, env })
    return done.stderr
  }
}

let canDownload: boolean
beforeAll(async () => {
  canDownload = await run('npm', ['view', 'msw', 'version']).then(
    () => true,
    () => false,
  )
})

describe.each(rows)('house/install on Node $node, with msw $msw', ({ node, msw }) => {
  test('npm installs the package silently, after the others or with them', async ({ skip }) => {
    skip(!canDownload, 'npm cannot download packages.')
    const { tarball } = await pack()
    const others = [`msw@${msw}`, 'vitest']
    const after = await npmOn(node)
    await after('install', ...others)
    expect(withoutScripts(await after('install', tarball))).toBe('')
    const together = await npmOn(node)
    expect(withoutScripts(await together('install', tarball, ...others))).toBe('')
  })
})

/** Without the question whether msw may run its script, which npm asks for any package. */
const withoutScripts = (printed: string): string =>
  printed
    .split('\n')
    .filter((line) => !line.startsWith('npm warn install-scripts'))
    .join('\n')
