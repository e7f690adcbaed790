// Commands as processes of their own, as users start them: what they say, and how they end.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entry } from './built.ts'

/** The built command. */
export const main = entry('main')
/** A workflow that every server runs. */
export const textToImage = join(
  import.meta.dirname,
  '../..',
  'recordings',
  'workflows',
  'text-to-image.json',
)
/** A new folder. */
export const folder = (): string => mkdtempSync(join(tmpdir(), 'flowdouble-'))

export type Command = {
  readonly process: ChildProcess
  /** Resolves when the output so far matches; rejects when the command ends without that. */
  readonly says: (pattern: RegExp) => Promise<string>
  readonly ends: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** Starts `flowdouble` with these arguments, in a folder of its own. */
export const start = (...args: readonly string[]): Command => startAt(main, args)

/** Starts the command that this file is, with these flags of Node. */
export function startAt(
  file: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Command {
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
    cwd: folder(),
    env: { ...process.env, NO_COLOR: '1' },
  })
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    for (const listener of listeners) listener()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ends = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  const says = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (pattern.test(stdout)) resolve(stdout)
      }
      listeners.add(check)
      check()
      void ends.then(() => reject(new Error(`It ended without ${pattern}:\n${stdout}\n${stderr}`)))
    })
  return { process: child, says, ends }
}

/** A file with this value as JSON. */
export function fileOf(value: unknown): string {
  const file = join(folder(), 'value.json')
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}
