// Runs the test suite of the Python SDK on flowdouble: the suite of its source archive, with our conftest.py in place of the
// one that starts its stub server.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '../install.mjs'
import { run } from '../process.mjs'

export const suite = { name: 'comfy-sdk', version: '0.5.0' }
const packages = {
  ...suite,
  from: 'pypi',
  with: ['pytest==9.1.1', 'pytest-asyncio==1.4.0', 'Pillow>=10', 'PyYAML>=6'],
}
const here = import.meta.dirname
const root = join(here, '../../..')
const json = (file) => JSON.parse(readFileSync(file, 'utf8'))
const LIMIT_MS = 900_000

/** Runs a command that has to succeed. */
async function must(command, cwd) {
  const { code, output } = await run(command, { limitMs: LIMIT_MS, cwd })
  if (code !== 0) throw new Error(`${command.join(' ')}: ${output.slice(-2000)}`)
}

/** Fetches the suite into a folder, and puts our files in the place of its own. */
async function prepare(python, folder) {
  const name = `${suite.name}==${suite.version}`
  const only = ['--no-deps', '--no-binary', suite.name]
  await must([python, '-m', 'pip', 'download', '--quiet', ...only, '--dest', folder, name], folder)
  const archive = readdirSync(folder).find((file) => file.endsWith('.tar.gz'))
  await must(['tar', '--strip-components=1', '-xzf', archive], folder)
  const tests = join(folder, 'tests')
  for (const file of ['conftest.py', 'script.py']) cpSync(join(here, file), join(tests, file))
  const names = Object.entries(json(join(here, 'names.json')))
  const found = new Set()
  for (const file of readdirSync(tests).filter((one) => /^test_.*\.py$/.test(one))) {
    let text = readFileSync(join(tests, file), 'utf8')
    for (const [theirs, ours] of names) {
      if (text.includes(theirs)) found.add(theirs)
      text = text.replaceAll(theirs, ours)
    }
    writeFileSync(join(tests, file), text)
  }
  const missing = names.filter(([theirs]) => !found.has(theirs))
  if (missing.length > 0) throw new Error(`names.json: no test has ${missing.join(', ')}`)
}

/**
 * Runs the suite: how many tests pass, which are left out, by reason, and what is wrong: tests that fail without a reason, and
 * reasons for tests that pass or do not exist.
 */
export async function runSuite(cache) {
  const home = await install(packages, join(cache, 'sdk-suite'))
  const folder = mkdtempSync(join(tmpdir(), 'flowdouble-sdk-suite-'))
  try {
    await prepare(process.env['PYTHON'] ?? 'python3', folder)
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      PYTHONPATH: join(root, 'emulator/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      RESULTS: join(folder, 'results.json'),
    }
    const pytest = ['-m', 'pytest', '-q', '--tb=short', '-p', 'no:cacheprovider', 'tests']
    const command = [join(home, 'bin/python'), ...pytest]
    const { output } = await run(command, { limitMs: LIMIT_MS, cwd: folder, env })
    return judged(json(join(folder, 'results.json')), json(join(here, 'left-out.json')), output)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function judged(outcomes, leftOut, output) {
  const reasons = Object.entries(leftOut)
  const declared = new Set(reasons.flatMap(([, tests]) => tests))
  const wrong = [
    ...Object.keys(outcomes)
      .filter((test) => outcomes[test] !== 'passed' && !declared.has(test))
      .map((test) => `${test}: ${outcomes[test]}`),
    ...[...declared]
      .filter((test) => outcomes[test] === undefined || outcomes[test] === 'passed')
      .map((test) => `${test}: left out, but ${outcomes[test] ?? 'not in the suite'}`),
  ]
  const passed = Object.values(outcomes).filter((outcome) => outcome === 'passed').length
  const counts = reasons.map(([reason, tests]) => [reason, tests.length])
  return { ...suite, passed, leftOut: counts, wrong, output: wrong.length > 0 ? output : '' }
}

/** The result in lines for a terminal. */
export const report = ({ name, version, passed, leftOut, wrong }) =>
  [
    `suite of ${name} ${version}: ${passed} tests pass, ${leftOut.reduce((sum, [, n]) => sum + n, 0)} are left out`,
    ...leftOut.map(([reason, count]) => `  ${count}  ${reason}`),
    ...wrong.map((line) => `  wrong: ${line}`),
  ].join('\n')
