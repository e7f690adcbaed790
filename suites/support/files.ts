// Folders with files, and commands that run in them, in this process.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCommand, type CommandIo } from '../../dist/emulator/internal.js'
import type { CheckEvent } from '../check/events.ts'
import { folder } from './folder.ts'
import { type Output, outputOf } from './in-process.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>

export type Result = Output & {
  /** The lines of `--json`. */
  readonly events: () => readonly CheckEvent[]
  /** Those about cases, of one verdict or all. */
  readonly cases: (verdict?: CaseEvent['verdict']) => readonly CaseEvent[]
}

export type Files = {
  /** The folder. */
  readonly dir: string
  readonly path: (name: string) => string
  readonly write: (name: string, text: string | Buffer, mode?: number) => void
  readonly read: (name: string) => string
  readonly has: (name: string) => boolean
  /** The names in the folder, or in one below it, sorted. */
  readonly names: (below?: string) => readonly string[]
  /** Runs a command with these arguments; names of files are those of the folder. */
  readonly run: (
    command: (argv: readonly string[], io: CommandIo) => Promise<number> | number,
    ...argv: readonly string[]
  ) => Promise<Output>
  /** The same with `check`. */
  readonly check: (...argv: readonly string[]) => Promise<Result>
}

/** A new folder with these files. */
export function newFiles(texts: Readonly<Record<string, string>> = {}): Files {
  const files = filesIn(folder())
  for (const [name, text] of Object.entries(texts)) files.write(name, text)
  return files
}

/** The files of a folder. */
export function filesIn(dir: string): Files {
  const path = (name: string): string => join(dir, name)
  const run: Files['run'] = (command, ...argv) =>
    outputOf(command, argv, { cwd: dir, env: { NO_COLOR: '1' } })
  return {
    dir,
    path,
    write: (name, text, mode) =>
      writeFileSync(path(name), text, mode === undefined ? {} : { mode }),
    read: (name) => readFileSync(path(name), 'utf8'),
    has: (name) => existsSync(path(name)),
    names: (below = '') => readdirSync(path(below)).toSorted(),
    run,
    check: async (...argv) => resultOf(await run(checkCommand, ...argv)),
  }
}

function resultOf(output: Output): Result {
  const events = () =>
    output.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckEvent)
  const cases: Result['cases'] = (verdict) =>
    events().filter(
      (one): one is CaseEvent =>
        one.event === 'case' && (verdict === undefined || one.verdict === verdict),
    )
  return { ...output, events, cases }
}
