#!/usr/bin/env node
// Runs the quick suites, and those of the edges within a process, on each version of Node and msw that the package
// supports. It tests what is committed, in a clone, and downloads the versions of Node and msw with npm.
//
//   npm run test:runtimes -- [--only TEXT]...
//
// --only runs the rows whose names contain the text, such as --only 'Node 24'.
//
// Exit codes: 0 all suites pass, 1 some fail, 2 wrong usage, 5 something could not be installed.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

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

/** The rows to run, or the end of the command. */
function chosenRows() {
  try {
    const { only } = parseArgs({ options: { only: { type: 'string', multiple: true } } }).values
    const chosen = rows.filter((row) => only?.some((text) => nameOf(row).includes(text)) ?? true)
    if (chosen.length > 0) return chosen
    console.error(`There is no such row: ${only.join(', ')}. Rows: ${rows.map(nameOf).join(', ')}.`)
  } catch (error) {
    console.error(`${error.message}\nOptions: --only TEXT.`)
  }
  return process.exit(2)
}

const chosen = chosenRows()
const folder = mkdtempSync(join(tmpdir(), 'flowdouble-runtimes-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
const root = join(import.meta.dirname, '../..')

/** Runs a program in the clone, quietly. Ends the command if it fails. */
function install(program, ...argv) {
  try {
    return execFileSync(program, argv, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    console.error(`${program} ${argv.join(' ')}: ${error.stderr || error.message}`)
    return process.exit(5)
  }
}

/** The program of a version of Node. */
const nodeOf = (version) =>
  install('npx', '-y', '-p', `node@${version}`, '-c', 'command -v node').trim()

install('git', 'clone', '--quiet', root, folder)
install('npm', 'ci')
install('npm', 'run', 'build')

const env = { ...process.env, NO_COLOR: '1' }
let failed = 0
for (const row of chosen) {
  install('npm', 'install', '--no-save', `msw@${row.msw}`)
  const node = nodeOf(row.node)
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
