// What the steps of a release share: how they run programs, and how they find the files that earlier steps built.

import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const start = promisify(execFile)

/** A step that cannot be tried on this machine, with the reason: that proves nothing, but breaks nothing either. */
export class NotHere extends Error {}

/** A failure after which no other step makes sense. */
export class Ends extends Error {}

/** Runs a program to its end. Throws an error with what it printed unless it ends with 0. */
export async function run(program, args, options = {}) {
  try {
    return await start(program, args, { maxBuffer: Infinity, ...options })
  } catch (error) {
    const printed = [error.stderr, error.stdout].filter(Boolean).join('\n').trim()
    throw new Error(`${program} ${args.join(' ')}: ${printed || error.message}`, { cause: error })
  }
}

/** The only file of a folder whose name matches; throws if an earlier step did not build it. */
export function builtFile(folder, pattern) {
  let names
  try {
    names = readdirSync(folder, { recursive: true }).filter((name) => pattern.test(name))
  } catch {
    names = []
  }
  if (names.length !== 1)
    throw new Error(`${folder} has ${names.length} files ${pattern}, and one is needed.`)
  return join(folder, names[0])
}

export const emptyFolder = ({ temporary }, name) => mkdtempSync(join(temporary, `${name}-`))

/** The version of Python if it is new enough for the package. */
export async function requirePython() {
  const code = 'import sys; print(*sys.version_info[:2], sep=".")'
  const found = await start('python3', ['-c', code]).catch(() => undefined)
  const [major = 0, minor = 0] = found?.stdout.trim().split('.').map(Number) ?? []
  if (major < 3 || (major === 3 && minor < 10))
    throw new NotHere('There is no python3 of version 3.10 or newer.')
}

/** A folder with packages of PyPI in a virtual environment; resolves to the folder of its programs. */
export async function pythonWith(context, ...packages) {
  await requirePython()
  const folder = emptyFolder(context, 'python')
  await run('python3', ['-m', 'venv', folder])
  const pip = ['install', '--quiet', '--disable-pip-version-check', ...packages]
  await run(join(folder, 'bin/pip'), pip)
  return join(folder, 'bin')
}
