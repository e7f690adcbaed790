// The command `completion` as shells call it, and a folder in which they find it, as after an installation.

import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { folder as newFolder } from '../../support/folder.ts'

const main = join(import.meta.dirname, '../../../dist/bundle/main.cjs')

/** A folder with these files, and the environment of a shell in it. */
export function linked(files: Readonly<Record<string, string>>): {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
} {
  const folder = newFolder()
  const bin = newFolder()
  symlinkSync(main, join(bin, 'flowdouble'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const path = [bin, dirname(process.execPath), process.env['PATH']].join(':')
  return { folder, env: { ...process.env, PATH: path, HOME: folder } }
}

/** What the command prints. */
export const printedBy = async (...argv: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [main, ...argv])).stdout

/** The candidates among printed lines, and `:files` or `:dirs`. */
export const candidatesIn = (printed: string): readonly string[] =>
  printed
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0]!)

/** What can follow these words. */
export const after = async (...words: readonly string[]): Promise<readonly string[]> =>
  candidatesIn(await printedBy('completion', 'words', '--', ...words))
