// Runs `check` in this process on recordings in a temporary folder.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCommand, shrinkCommand } from '../../../dist/emulator/internal.js'
import type { CheckEvent } from '../../check/events.ts'
import { folder } from '../../support/folder.ts'
import { type Output, outputOf } from '../../support/in-process.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>

export type Result = Output & {
  /** The lines of `--json`. */
  readonly events: () => readonly CheckEvent[]
  /** Those about cases, of one verdict or all. */
  readonly cases: (verdict?: CaseEvent['verdict']) => readonly CaseEvent[]
}

export type Files = {
  readonly write: (name: string, text: string) => void
  readonly read: (name: string) => string
  readonly has: (name: string) => boolean
  /** Runs `check` with these arguments; names of files are those of the folder. */
  readonly check: (...argv: readonly string[]) => Promise<Result>
  /** The same with `shrink`. */
  readonly shrink: (...argv: readonly string[]) => Promise<Result>
}

/** A new folder for files. */
export function newFiles(): Files {
  const cwd = folder()
  return {
    write: (name, text) => writeFileSync(join(cwd, name), text),
    read: (name) => readFileSync(join(cwd, name), 'utf8'),
    has: (name) => existsSync(join(cwd, name)),
    check: (...argv) => runIn(cwd, checkCommand, argv),
    shrink: (...argv) => runIn(cwd, shrinkCommand, argv),
  }
}

/** The body of a case that gets a folder for files. */
export const withFiles = (body: (files: Files) => Promise<void>) => (): Promise<void> =>
  body(newFiles())

async function runIn(
  cwd: string,
  command: typeof checkCommand,
  argv: readonly string[],
): Promise<Result> {
  const output = await outputOf(command, argv, { cwd, env: { NO_COLOR: '1' } })
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
