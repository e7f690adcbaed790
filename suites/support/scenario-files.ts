// Folders with scenario files, and the commands about them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { validateCommand } from '../../dist/emulator/internal.js'

type Command = typeof validateCommand

/** Runs a function with a folder that has these files. */
export async function withFolder(
  files: Readonly<Record<string, string>>,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'flowdouble-scenario-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    await body(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
