// Installs a client and what it depends on into a folder, once: npm packages beside each other, PyPI packages in an
// environment that uses the Python of this machine.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './process.mjs'

const MAX_INSTALL_MS = 600_000
/** The Pythons of this machine: its default one first, which most clients get. */
const pythons = [process.env['PYTHON'] ?? 'python3', 'python3.12', 'python3.13', 'python3.14']

/** The packages of a client as the installer reads them. */
const packages = ({ from, name, version, with: others = [] }) => [
  from === 'npm' ? `${name}@${version}` : `${name}==${version}`,
  ...others,
]

const installers = {
  npm: (home, wanted) => [
    ['npm', 'install', '--prefix', home, '--no-audit', '--no-fund', '--no-save', ...wanted],
  ],
  pypi: (home, wanted, python) => [
    [python, '-m', 'venv', '--without-pip', home],
    [python, '-m', 'pip', '--python', join(home, 'bin/python'), 'install', '--quiet', ...wanted],
  ],
}

/** What is being installed, by folder: two rows of one client share it. */
const underWay = new Map()

/** The folder that a client is installed in. It is installed unless the folder has exactly these packages. */
export function install(client, cache) {
  const key = JSON.stringify(packages(client))
  if (!underWay.has(key)) underWay.set(key, installInto(client, cache))
  return underWay.get(key)
}

async function installInto(client, cache) {
  const home = join(cache, `${client.from}-${client.name.replaceAll(/[^\w.-]+/g, '-')}`)
  const wanted = packages(client)
  const mark = join(home, 'installed.txt')
  const text = wanted.join('\n')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === text) return home
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  mkdirSync(home, { recursive: true })
  if (client.from === 'npm') writeFileSync(join(home, 'package.json'), '{ "private": true }')
  for (const command of installers[client.from](home, wanted, await pythonFor(client))) {
    const { code, output } = await run(command, { limitMs: MAX_INSTALL_MS })
    if (code !== 0) throw new Error(`It could not be installed: ${reasonOf(output)}`)
  }
  writeFileSync(mark, text)
  return home
}

/** The line of an installer's output that says why it failed. */
const reasonOf = (output) =>
  output
    .split('\n')
    .findLast((line) => /error/i.test(line))
    ?.trim()
    .slice(0, 300) ?? 'the installer did not end'

/** The first Python of this machine that is new enough for a client, if any is. */
async function pythonFor({ python: oldest = '3.0' }) {
  const question = `import sys; sys.exit(sys.version_info < (${oldest.replace('.', ', ')}))`
  for (const python of pythons) {
    const { code } = await run([python, '-c', question], { limitMs: MAX_INSTALL_MS })
    if (code === 0) return python
  }
  return undefined
}

/** Why this machine cannot run a client at all, or undefined. */
export const unfitFor = async (client) =>
  client.from === 'npm' || (await pythonFor(client)) !== undefined
    ? undefined
    : `It requires Python ${client.python ?? 3} or newer, which this machine does not have.`
