// Runs `check` in this process on recordings in a temporary folder.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCommand, shrinkCommand } from '../../../dist/emulator/internal.js'
import type { CheckEvent } from '../../check/events.ts'
import { folder } from '../../support/folder.ts'

export type Result = {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The lines of `--json`. */
  readonly events: () => readonly CheckEvent[]
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

/** The body of a case that gets a folder for files. */
export const withFiles = (body: (files: Files) => Promise<void>) => async (): Promise<void> => {
  const cwd = folder()
  await body({
    write: (name, text) => writeFileSync(join(cwd, name), text),
    read: (name) => readFileSync(join(cwd, name), 'utf8'),
    has: (name) => existsSync(join(cwd, name)),
    check: (...argv) => runIn(cwd, checkCommand, argv),
    shrink: (...argv) => runIn(cwd, shrinkCommand, argv),
  })
}

async function runIn(
  cwd: string,
  command: typeof checkCommand,
  argv: readonly string[],
): Promise<Result> {
  let [stdout, stderr] = ['', '']
  const code = await command(argv, {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: { NO_COLOR: '1' },
    cwd,
  })
  const events = () =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckEvent)
  return { code, stdout, stderr, events }
}
