// Shared by commands with subcommands: flags, usage errors, exit codes, and reading a secret from a file or standard
// input.

import { resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { parseArgs } from 'node:util'
import { exitCodes } from '../../../spec/gateway/subscriptions.ts'
import { isFailure } from '../../client/failure.ts'
import { printable } from '../../client/terminal-text.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import { quirksLike, serverLike } from '../../options/like.ts'
import { quirksOf } from '../../options/table.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { isRefused } from '../../lib/refused.ts'
import { stopped } from './ask-in-time.ts'
import type { CommandIo } from './io.ts'
import { type FlagTable, withVariables } from './variables.ts'
import { readNamedFile } from '../../config/named-files.ts'

export type { FlagTable }

/** Flags that every subcommand accepts. */
const sharedFlags = {
  'config-dir': { type: 'string' },
  json: { type: 'boolean' },
  quirk: { type: 'string', multiple: true },
  'no-quirk': { type: 'string', multiple: true },
  like: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies FlagTable

/** The parsed flags by name, and the positional arguments. */
export type Flags = {
  readonly text: (name: string) => string | undefined
  /** The values of a flag that can be repeated. */
  readonly texts: (name: string) => readonly string[]
  readonly isSet: (name: string) => boolean
  readonly words: readonly string[]
  /** The quirks that are on, from --quirk, --no-quirk and --like together. */
  readonly quirks: readonly string[]
  /** The known server that the gateway behaves like; null without --like. */
  readonly like: string | null
  readonly isJson: boolean
}

/** Flags that take a value. */
export const withValue = (...names: readonly string[]): FlagTable =>
  Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
/** Flags that take a value and can be repeated. */
export const repeated = (...names: readonly string[]): FlagTable =>
  Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true }]))
/** Flags that take no value. */
export const bare = (...names: readonly string[]): FlagTable =>
  Object.fromEntries(names.map((name) => [name, { type: 'boolean' }]))

/** Parses the arguments of a command. Throws a usage error for an unknown flag. */
export function readFlags(argv: readonly string[], own: FlagTable): Flags {
  const { values, positionals } = parseFlags(argv, { ...own, ...sharedFlags })
  const flagValues = (name: string): readonly string[] => (values[name] ?? []) as readonly string[]
  const known = quirksOf('gateway')
  const unknown = [...flagValues('quirk'), ...flagValues('no-quirk')].find(
    (id) => !known.includes(id),
  )
  if (unknown !== undefined)
    throw usageError(
      `Unknown quirk "${unknown}".${didYouMean(unknown, known)} The gateway has:\n  ${known.join('\n  ')}`,
    )
  const like = values['like'] as string | undefined
  const server = serverLike(like, 'gateway', '--like')
  if (values['config-dir'] === '') throw usageError('--config-dir needs a directory.')
  return {
    text: (name) => values[name] as string | undefined,
    texts: (name) => (values[name] ?? []) as readonly string[],
    isSet: (name) => values[name] === true,
    words: positionals,
    quirks: quirksLike(server, flagValues('quirk'), flagValues('no-quirk')),
    like: like ?? null,
    isJson: values['json'] === true,
  }
}

/** Flags and positional arguments of a command line. Throws a usage error that suggests the closest flag. */
export function parseFlags(
  argv: readonly string[],
  options: FlagTable,
  allowPositionals = true,
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: withNumbers(argv, options), options, strict: true, allowPositionals })
  } catch (error) {
    throw usageError(flagMessage(error, Object.keys(options)) ?? 'Cannot parse these flags.')
  }
}

/** Joins a negative number to the flag before it, so that the message about it is that of its value. */
function withNumbers(argv: readonly string[], options: FlagTable): string[] {
  const joined: string[] = []
  for (const arg of argv) {
    const before = joined.at(-1) ?? ''
    const takesValue = before.startsWith('--') && options[before.slice(2)]?.type === 'string'
    if (takesValue && /^-\d/.test(arg)) joined.splice(-1, 1, `${before}=${arg}`)
    else joined.push(arg)
  }
  return joined
}

/** Describes what is wrong with the flags; undefined for any other error. Never repeats a value: it can be a secret. */
function flagMessage(error: unknown, known: readonly string[]): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    const flag = /'(?:-\w, )?(--[\w-]+)/.exec(error.message)?.[1] ?? 'A flag'
    return error.message.includes('does not take')
      ? `${flag} takes no value.`
      : `${flag} needs a value. Write a value that begins with - as ${flag}=VALUE.`
  }
  if (!code.startsWith('ERR_PARSE_ARGS_')) return undefined
  const unknown = /^Unknown option '--?([\w-]+)/.exec(error.message)?.[1]
  const hint = unknown === undefined ? '' : didYouMean(unknown, known, '--')
  return `${error.message.split('. ')[0]}.${hint}`
}

/** A command that takes files. */
export type FileCommand = {
  readonly name: string
  /** What it takes at least one of. */
  readonly takes: string
  readonly help: string
  /** Flags in addition to --help. */
  readonly flags: FlagTable
  /** Resolves to the exit code. */
  readonly run: (
    files: readonly string[],
    values: Readonly<Record<string, unknown>>,
  ) => Promise<number>
}

/**
 * Runs such a command with the arguments after its name, and prints usage errors, and why a server cannot be asked; resolves
 * to its exit code.
 */
export async function runOnFiles(
  { name, takes, help, flags, run }: FileCommand,
  argv: readonly string[],
  { stdout, stderr }: CommandIo,
): Promise<number> {
  try {
    const { values, positionals } = parseFlags(argv, {
      ...flags,
      help: { type: 'boolean', short: 'h' },
    })
    if (values['help'] === true) {
      stdout.write(help)
      return 0
    }
    if (positionals.length === 0) throw usageError(`${name} needs at least one ${takes}.`)
    return await run(positionals, values)
  } catch (error) {
    const isUsage = isUsageError(error) || (isFailure(error) && error.outcome === 'usage')
    if (!isUsage && !isFailure(error) && !isRefused(error)) throw error
    const hint = isUsage ? `See: flowdouble ${name} --help\n` : ''
    stderr.write(`${printable(error.message)}\n${hint}`)
    return isUsage ? 2 : 3
  }
}

/** A subcommand. `run` resolves to the exit code. */
export type Subcommand = {
  readonly names: readonly string[]
  readonly flags: FlagTable
  /** Whether variables give its flags, too. */
  readonly hasVariables?: true
  readonly run: (flags: Flags, io: CommandIo) => Promise<number>
}

/** Runs a subcommand and prints usage errors and refusals. `help` is the help text of the whole group. */
export async function runSubcommand(
  group: string,
  subcommands: readonly Subcommand[],
  help: string,
  argv: readonly string[],
  io: CommandIo,
): Promise<number> {
  const [name = '', ...rest] = argv
  const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h'
  const before = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (isHelp(name) || name === 'help' || before.some(isHelp)) {
    io.stdout.write(help)
    return exitCodes.done
  }
  const isJson = before.includes('--json')
  try {
    const found = subcommands.find(({ names }) => names.includes(name))
    if (found === undefined) {
      const known = subcommands.map(({ names }) => names[0]).join(', ')
      const what = name === '' ? `${group} needs a command` : `Unknown command ${group} ${name}`
      const hint = didYouMean(
        name,
        subcommands.flatMap(({ names }) => names),
        `${group} `,
      )
      throw usageError(`${what}.${hint} Commands: ${known}.`)
    }
    const run = (all: readonly string[]): Promise<number> =>
      found.run(readFlags(all, found.flags), io)
    if (!found.hasVariables) return await run(rest)
    return await withVariables(rest, { ...found.flags, ...sharedFlags }, io, run)
  } catch (error) {
    const isUsage = isUsageError(error)
    if (!isUsage && !isRefused(error)) throw error
    const { message } = error
    if (isJson) io.stdout.write(`${JSON.stringify({ error: message })}\n`)
    const hint = isUsage ? `See: flowdouble ${group} --help\n` : ''
    io.stderr.write(`${printable(message)}\n${hint}`)
    return isUsage ? exitCodes.usage : exitCodes.refused
  }
}

/**
 * Reads the user's secret: the value of --secret, standard input for `-`, or a file. Strips one trailing line end.
 * Returns undefined without either flag. Throws a usage error for both flags, and for a file that it cannot read.
 */
export async function readSecret(flags: Flags, io: CommandIo): Promise<string | undefined> {
  const value = flags.text('secret')
  const file = flags.text('secret-file')
  if (value !== undefined && file !== undefined)
    throw usageError('Give --secret or --secret-file, not both.')
  if (file !== undefined) {
    try {
      return withoutLineEnd(readNamedFile(resolve(io.cwd, file)).toString())
    } catch (error) {
      throw usageError(`Cannot read --secret-file: ${(error as Error).message}.`)
    }
  }
  if (value === '-') return withoutLineEnd(await readInput(io))
  if (value !== undefined && value !== '' && io.stderr.isTTY === true) {
    io.stderr.write(
      'Other users of this machine can see the value of --secret in the process list; use --secret - or --secret-file instead.\n',
    )
  }
  return value
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')

/** Reads standard input to its end, as text. Throws a refusal when the user stops the command. */
export async function readInput({ stdin, signal }: CommandIo): Promise<string> {
  if (stdin === undefined) return ''
  const input = stdin()
  if (signal !== undefined) addAbortSignal(signal, input)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of input) chunks.push(Buffer.from(chunk as Buffer))
  } catch (error) {
    throw signal?.aborted === true ? stopped() : error
  }
  return Buffer.concat(chunks).toString()
}
