// The Python interpreters of this machine: those that can run the package, and an environment in which it is installed.

import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')

/** The package of Python, and its tests. */
export const source = join(root, 'emulator/python')
export const suites = join(root, 'suites/python')

/** Why `python3` cannot run the package; undefined if it can. */
export function whyNot(): string | undefined {
  const asked = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 10))'])
  if (asked.status !== 0) return 'there is no python3'
  return asked.stdout.toString().startsWith('True') ? undefined : 'python3 is older than 3.10'
}

/** The names of the tests in the files whose names match. */
export const testsOf = (file: string): readonly string[] => {
  const text = execFileSync('grep', ['-ho', 'def test_\\w*', join(suites, file)], {
    encoding: 'utf8',
  })
  return text.split('\n').flatMap((line) => (line === '' ? [] : line.replace('def ', '')))
}

/** Runs a program, and resolves to its output; rejects with all that it has printed. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 2 ** 26, ...options })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** Builds the wheel into a folder, and resolves to its path. Needs the packages of PyPI. */
export async function buildWheel(folder: string): Promise<string> {
  await run('python3', ['-m', 'pip', 'wheel', '--no-deps', '--wheel-dir', folder, source])
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '')
}
