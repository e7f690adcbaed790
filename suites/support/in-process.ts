// Commands in this process: how they end and what they print, one by one or as rows of a table.

import { Readable } from 'node:stream'
import { test } from 'vitest'
import type { CommandIo } from '../../dist/emulator/internal.js'
import { expect } from '../judge/expect.ts'
import { like } from '../judge/rows.ts'
import { folder } from './folder.ts'

export type Output = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where a command runs: without these in a new folder, without environment, input and terminal. */
export type Surroundings = Partial<Omit<CommandIo, 'stdin'>> & {
  /** A text, or a stream such as a keyboard. */
  readonly stdin?: string | (() => Readable)
  /** The width of both outputs as a terminal. */
  readonly terminal?: number | undefined
  /** Called after each write with what standard output has so far. */
  readonly onWrite?: (stdout: string) => void
}

/** The streams for a command, and what it writes. */
export function newIo({
  stdin = '',
  terminal,
  onWrite = () => undefined,
  ...more
}: Surroundings = {}) {
  const output = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof output) => ({
    isTTY: terminal !== undefined,
    columns: terminal ?? 80,
    write: (text: string): void => {
      output[name] += text
      onWrite(output.stdout)
    },
  })
  const io = {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    stdin: typeof stdin === 'string' ? () => Readable.from([Buffer.from(stdin)]) : stdin,
    env: {},
    cwd: folder(),
    ...more,
  }
  return { io, output }
}

type Command = (argv: readonly string[], io: CommandIo) => Promise<number> | number

/** Runs a command. */
export async function outputOf(
  command: Command,
  argv: readonly string[],
  surroundings?: Surroundings,
): Promise<Output & { readonly code: number }> {
  const { io, output } = newIo(surroundings)
  return { code: await command(argv, io), ...output }
}

/** A command that listens. */
export type Running = {
  /** What it has printed so far. */
  readonly said: () => string
  /** Stops it as a signal does. */
  readonly stop: () => Promise<Output & { readonly code: number }>
}

/** Runs a command until it has printed an address. Rejects if it ends before that. */
export async function running(
  command: Command,
  argv: readonly string[],
  surroundings?: Surroundings,
): Promise<Running> {
  const stopping = new AbortController()
  let listens = (): void => {}
  const listening = new Promise<void>((resolve) => (listens = resolve))
  const onWrite = (stdout: string): void => {
    if (/http:\/\/\S+:\d+/.test(stdout)) listens()
  }
  const { io, output } = newIo({ ...surroundings, onWrite, signal: stopping.signal })
  const over = Promise.resolve(command(argv, io))
  const early = over.then((code) => {
    throw new Error(`It ended with ${code}: ${output.stderr}`)
  })
  early.catch(() => undefined)
  await Promise.race([listening, early])
  return {
    said: () => output.stdout,
    stop: async () => {
      stopping.abort()
      return { code: await over, ...output }
    },
  }
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
      const [expected, out, err] = says
      expect({ code, stdout, stderr }).toEqual({
        code: expected,
        stdout: like(out),
        stderr: like(err),
      })
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
