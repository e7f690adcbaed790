// Folders with scenario files, and the commands about them.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { validateCommand } from '../../dist/emulator/internal.js'
import { folder } from './folder.ts'
import { outputOf } from './in-process.ts'

type Command = typeof validateCommand

/** A new folder with these files. */
export function filesIn(files: Readonly<Record<string, string>>): string {
  const place = folder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text)
  return place
}

/** Runs a function with a folder that has these files. */
export const withFolder = (
  files: Readonly<Record<string, string>>,
  body: (place: string) => Promise<void>,
): Promise<void> => body(filesIn(files))

/** Runs one of the commands in a folder. */
export const runCommand = (run: Command, cwd: string, ...argv: readonly string[]) =>
  outputOf(run, argv, { cwd })
