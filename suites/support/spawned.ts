// Commands as separate processes, as users start them: their output, and how they end.

import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { entry } from './built.ts'
import { folder } from './folder.ts'
import type { Output } from './in-process.ts'

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

export type Command = {
  readonly process: ChildProcess
  /** Resolves when the output so far matches; rejects if the command ends without a match. */
  readonly says: (pattern: RegExp) => Promise<string>
  /** The same for standard error. */
  readonly logs: (pattern: RegExp) => Promise<string>
  readonly ends: Promise<Output>
  /** Stops it with a signal, with which it has to end well; resolves to what it has printed. */
  readonly stop: (signal?: 'SIGINT' | 'SIGTERM') => Promise<Output>
}

/** Starts `flowdouble` with these arguments, in a temporary folder. */
export const start = (...args: readonly string[]): Command => startAt(main, args)

/** Starts the command in this file, with these flags of Node. */
export const startAt = (
  file: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Command => startProcess(process.execPath, [...nodeFlags, file, ...args])

/** Starts `flowdouble` with a limit that the shell sets, such as `ulimit -f 8`. */
export const startLimited = (limit: string, ...args: readonly string[]): Command =>
  startProcess('sh', ['-c', `${limit}; exec "$0" "$@"`, process.execPath, main, ...args])

/** Starts a program, in a temporary folder, or in this one. */
export function startProcess(
  program: string,
  args: readonly string[],
  cwd: string = folder(),
): Command {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1' },
  })
  const said = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk.toString()
      for (const listener of listeners) listener()
    })
  }
  const ends = new Promise<Output>((resolve) => {
    child.on('close', (code) => resolve({ code, ...said }))
  })
  const matchIn =
    (name: keyof typeof said) =>
    (pattern: RegExp): Promise<string> =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (pattern.test(said[name])) resolve(said[name])
        }
        listeners.add(check)
        check()
        void ends.then(({ stdout, stderr }) =>
          reject(new Error(`It ended without ${pattern}:\n${stdout}\n${stderr}`)),
        )
      })
  const stop: Command['stop'] = async (signal = 'SIGTERM') => {
    child.kill(signal)
    const output = await ends
    if (output.code !== 0) throw new Error(`It ended with ${output.code}: ${output.stderr}`)
    return output
  }
  return { process: child, says: matchIn('stdout'), logs: matchIn('stderr'), ends, stop }
}

/** What the first line of `serve --json` lists. */
export type Addresses = {
  readonly url: string
  readonly ws: string
  readonly port: number
  readonly hosted: Omit<Addresses, 'hosted' | 'gateway'> & {
    readonly signedUrl: string
    readonly keys?: readonly { readonly key: string }[]
  }
  readonly gateway: string
}

/** Starts `serve` on free ports until it listens. */
export async function serving(
  ...flags: readonly string[]
): Promise<Command & Addresses & { readonly line: string }> {
  const command = start('serve', '--port', '0', '--json', ...flags)
  const line = await command.says(/\n/)
  return { ...command, ...(JSON.parse(line) as Addresses), line }
}

/** A file with this value as JSON. */
export function fileOf(value: unknown): string {
  const file = join(folder(), 'value.json')
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}
