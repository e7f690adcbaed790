// The command `serve`: starts a server or two, says where they are, and shows on a terminal what happens.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Emulator, startEmulator } from '../edge/node.ts'
import { isUsageError, usageError } from '../options.ts'
import type { CommandIo } from './io.ts'
import { addressesOf } from './serve-addresses.ts'
import { type Flags, readFlags, serveHelp } from './serve-flags.ts'
import { planServers } from './serve-plan.ts'

/** Runs the command with the arguments after `serve`; resolves to its exit code when all servers have stopped. */
export async function serveCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const emulators: Emulator[] = []
  try {
    const flags = readFlags(argv)
    if (flags.help) {
      io.stdout.write(serveHelp())
      return 0
    }
    if (flags.run !== undefined) requireFile(resolve(io.cwd, flags.run))
    await serve(flags, io, emulators)
    return 0
  } catch (error) {
    const message = usageMessage(error)
    if (message === undefined) throw error
    io.stderr.write(`${message}\nSee: flowdouble serve --help\n`)
    return 2
  } finally {
    await Promise.all(emulators.map((emulator) => emulator.close()))
  }
}

/** Starts the servers, each of which joins `emulators`, and resolves when they are to stop. */
async function serve(flags: Flags, io: CommandIo, emulators: Emulator[]): Promise<void> {
  const display = flags.json || flags.quiet ? undefined : await import('./serve-display.ts')
  const plans = planServers(flags, io)
  for (const plan of plans) {
    const mark = plans.length > 1 ? plan.deployment : undefined
    const watch = display && io.stdout.isTTY ? display.createWatch(io, mark) : undefined
    emulators.push(await startEmulator({ ...plan, ...(watch && { onEntry: watch.show }) }))
  }
  const [first, ...others] = emulators
  if (first === undefined) return
  announce([first, ...others], flags, io)
  if (display) io.stdout.write(display.banner([first, ...others], io))
  await untilStopped(first, flags, io)
}

/** Throws a usage error at once for a workflow that cannot even be read. */
function requireFile(path: string): void {
  try {
    readFileSync(path)
  } catch (error) {
    throw usageError(`Cannot read the workflow of --run: ${(error as Error).message}`)
  }
}

/** Tells machines where the servers are. */
function announce(
  emulators: readonly [Emulator, ...Emulator[]],
  flags: Flags,
  io: CommandIo,
): void {
  const addresses = addressesOf(emulators)
  if (flags.readyFile !== undefined) {
    const path = resolve(io.cwd, flags.readyFile)
    // Whoever waits for the file must never see half of it.
    try {
      writeFileSync(`${path}.tmp`, `${JSON.stringify(addresses)}\n`)
      renameSync(`${path}.tmp`, path)
    } catch (error) {
      throw usageError(`Cannot write the ready file: ${(error as Error).message}`)
    }
  }
  if (flags.json) io.stdout.write(`${JSON.stringify(addresses)}\n`)
}

async function untilStopped(emulator: Emulator, flags: Flags, io: CommandIo): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
  if (flags.run !== undefined)
    await Promise.race([runOnce(emulator, flags.run, flags, io), stopped])
  await stopped
}

async function runOnce(
  emulator: Emulator,
  workflow: string,
  flags: Flags,
  io: CommandIo,
): Promise<void> {
  const { runCommand } = await import('./run.ts')
  const argv = [workflow, ...credentialsOf(emulator), '--out', flags.out]
  if (flags.quiet) argv.push('--quiet')
  // What --json prints is its first line alone; the paths then go to the other stream.
  const code = await runCommand(argv, flags.json ? { ...io, stdout: io.stderr } : io)
  if (flags.json || flags.quiet) return
  const { nextStep } = await import('./serve-display.ts')
  io.stdout.write(nextStep(emulator, code === 0, io.cwd))
}

/** Flags of `run` that lead to this server and let the run in. */
function credentialsOf({ url, options }: Emulator): readonly string[] {
  const { deployment, token, accounts } = options
  const place = token === null ? url : `${url}/?token=${encodeURIComponent(token)}`
  const flags = ['--url', place, '--deployment', deployment]
  if (deployment === 'local') return flags
  const account = accounts.find(({ tier }) => tier !== 'free') ?? accounts[0]
  return [...flags, `--api-key=${account?.keys[0] ?? ''}`]
}

/** The text of an error that the user can do something about, or undefined. */
function usageMessage(error: unknown): string | undefined {
  if (isUsageError(error)) return error.message
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const { code, port, address, hostname, isForLinks } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
    hostname?: string
    isForLinks?: boolean
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    const flag = /'(?:-\w, )?(--[\w-]+)/.exec(error.message)?.[1] ?? 'A flag'
    return `${flag} needs a value of its own; one that begins with - is written ${flag}=VALUE.`
  }
  if (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_'))
    return `${error.message.split('. ')[0]}.`
  if (code === 'EADDRINUSE') {
    const place = isForLinks ? ': signed links need the port behind that of their server' : ''
    return `Port ${port} is in use${place}. Take another with --port, or a free one with --port 0.`
  }
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} needs more rights. Take one above 1023 with --port.`
  // What is no address is looked up as a name, which is then told as one.
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `This machine has no address ${address ?? hostname} to listen on.`
  return code === 'ENOENT' ? error.message : undefined
}
