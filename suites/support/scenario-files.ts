// Folders with scenario files, and the commands about them.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { validateCommand } from '../../dist/emulator/internal.js'
import { folder } from './folder.ts'

type Command = typeof validateCommand

/** Runs a function with a folder that has these files. */
export async function withFolder(
  files: Readonly<Record<string, string>>,
  body: (place: string) => Promise<void>,
): Promise<void> {
  const place = folder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text)
  await body(place)
}

/** Runs one of the commands in a folder. */
export async function runCommand(
  run: Command,
  cwd: string,
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const output = { stdout: '', stderr: '' }
  const into = (name: keyof typeof output) => ({
    write: (text: string): void => {
      output[name] += text
    },
  })
  const io = { stdout: into('stdout'), stderr: into('stderr'), env: {}, cwd }
  const code = await run(argv, io)
  return { code, ...output }
}
