#!/usr/bin/env node
// Runs the quick suites, and those of the edges within a process, on each version of Node and msw that the package
// supports. It tests what is committed, in a clone, and downloads the versions of Node and msw with npm.
//
//   npm run test:runtimes -- [--only TEXT]...
//
// --only runs the rows whose names contain the text, such as --only 'Node 24'.
//
// Exit codes: 0 all suites pass, 1 some fail, 2 wrong usage, 5 something could not be installed.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chosenRows, installerIn, nodeOf } from './matrix.mjs'

/** msw 3 needs Node 22.12. */
const rows = [
  { node: '20.19.0', msw: '2.15.0' },
  { node: '22', msw: '2' },
  { node: '22', msw: '3' },
  { node: '24', msw: '3' },
]
const nameOf = ({ node, msw }) => `Node ${node} and msw ${msw}`

const suites = [
  ['--mode', 'quick'],
  ['suites/properties/edges', 'suites/properties/in-process', 'suites/house/determinism'],
]

const chosen = chosenRows(rows, nameOf)
const folder = mkdtempSync(join(tmpdir(), 'flowdouble-runtimes-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
const root = join(import.meta.dirname, '../..')

const install = installerIn(folder)

install('git', 'clone', '--quiet', root, folder)
install('npm', 'ci')
install('npm', 'run', 'build')

const env = { ...process.env, NO_COLOR: '1' }
let failed = 0
for (const row of chosen) {
  install('npm', 'install', '--no-save', `msw@${row.msw}`)
  const node = nodeOf(install, row.node)
  console.log(`\n${nameOf(row)} (${install(node, '--version').trim()})`)
  for (const argv of suites) {
    const run = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...argv]
    const said = { encoding: 'utf8', maxBuffer: Infinity }
    const { status, stdout, stderr } = spawnSync(node, run, { cwd: folder, env, ...said })
    if (status !== 0) failed++
    // The runner says on standard error what has failed.
    console.log(status === 0 ? /^ *Tests .*/m.exec(stdout)?.[0] : stdout + stderr)
  }
}
console.log(
  failed === 0
    ? `\nAll suites pass on ${chosen.map(nameOf).join(', ')}.`
    : `\n${failed} of ${chosen.length * suites.length} runs of suites fail.`,
)
process.exitCode = failed === 0 ? 0 : 1
