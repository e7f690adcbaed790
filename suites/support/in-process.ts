// Commands in this process: how they end and what they print, one by one or as rows of a table.

import { test } from 'vitest'
import type { CommandIo } from '../../dist/emulator/internal.js'
import { expect } from '../judge/expect.ts'
import { folder } from './folder.ts'

export type Output = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command. Its environment is only what the caller passes, and its folder a new one by default. `terminal` is the
 * width of standard error as a terminal.
 */
export async function outputOf(
  command: (argv: readonly string[], io: CommandIo) => Promise<number> | number,
  argv: readonly string[],
  { terminal, ...more }: Partial<CommandIo> & { readonly terminal?: number | undefined } = {},
): Promise<Output & { readonly code: number }> {
  const output = { stdout: '', stderr: '' }
  const into = (name: keyof typeof output) => ({
    write: (text: string): void => {
      output[name] += text
    },
  })
  const stderr = { ...into('stderr'), isTTY: terminal !== undefined, columns: terminal ?? 80 }
  const io = { stdout: into('stdout'), stderr, env: {}, cwd: folder(), ...more }
  return { code: await command(argv, io), ...output }
}

/** Arguments, exit code and both outputs: each a text, or a pattern for a part of it. */
export type CommandRow = readonly [
  argv: readonly string[],
  code: number,
  stdout: string | RegExp,
  stderr: string | RegExp,
]

/** A test for each row, by its title. No command prints a text called SECRET, or where in the code it failed. */
export function commandRows(
  run: (...argv: readonly string[]) => Promise<Output>,
  rows: Readonly<Record<string, CommandRow>>,
): void {
  for (const [title, [argv, ...says]] of Object.entries(rows))
    test(title, async () => {
      const { code, stdout, stderr } = await run(...argv)
      const [expected, ...texts] = says
      const [out, err] = texts.map((text) =>
        typeof text === 'string' ? text : expect.stringMatching(text),
      )
      expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: out, stderr: err })
      expect(stdout + stderr).not.toMatch(/SECRET| {4}at /)
    })
}

/** Rows of wrong usage: exit code 2, nothing on standard output, and a sentence that matches. */
export const refusals = (
  run: (...argv: readonly string[]) => Promise<Output>,
  rows: Readonly<Record<string, readonly [argv: readonly string[], says: string | RegExp]>>,
): void =>
  commandRows(
    run,
    Object.fromEntries(
      Object.entries(rows).map(([title, [argv, says]]) => [title, [argv, 2, '', says]]),
    ),
  )

/** Rows by an id and their arguments, which are title enough. */
export const titled = <R extends readonly [argv: readonly string[], ...says: unknown[]]>(
  id: string,
  rows: readonly R[],
): Readonly<Record<string, R>> =>
  Object.fromEntries(rows.map((row) => [`${id} ${row[0].join(' ')}`, row]))
