// What commands with subcommands share: their flags, the words for wrong use, exit codes, secrets from elsewhere.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { exitCodes } from '../../spec/gateway/subscriptions.ts'
import { printable } from '../client/printable.ts'
import { isUsageError, usageError } from '../options/usage.ts'
import { quirksLike, serverLike } from '../options/like.ts'
import { quirksOf } from '../options/table.ts'
import { didYouMean } from '../lib/nearest.ts'
import { isRefused } from '../lib/refused.ts'
import type { CommandIo } from './io.ts'

/** Flags by their names. */
export type FlagTable = NonNullable<ParseArgsConfig['options']>

/** Flags that each of these commands takes. */
const sharedFlags = {
  'config-dir': { type: 'string' },
  json: { type: 'boolean' },
  quirk: { type: 'string', multiple: true },
  'no-quirk': { type: 'string', multiple: true },
  like: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies FlagTable

/** Flags that were given, by name, and the words between them. */
export type Flags = {
  readonly text: (name: string) => string | undefined
  /** The values of a flag that may come more than once. */
  readonly texts: (name: string) => readonly string[]
  readonly isSet: (name: string) => boolean
  readonly words: readonly string[]
  /** Those that are switched on, by themselves or with a known server. */
  readonly quirks: readonly string[]
  /** The known server as which the gateway behaves; null for none. */
  readonly like: string | null
  readonly isJson: boolean
}

/** Flags with a value. */
export const withValue = (...names: readonly string[]): FlagTable =>
  Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
/** Flags with a value that may come more than once. */
export const repeated = (...names: readonly string[]): FlagTable =>
  Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true }]))
/** Flags without a value. */
export const bare = (...names: readonly string[]): FlagTable =>
  Object.fromEntries(names.map((name) => [name, { type: 'boolean' }]))

/** Reads the arguments of a command. Throws a usage error for flags that it does not have. */
export function readFlags(argv: readonly string[], own: FlagTable): Flags {
  const { values, positionals } = parseFlags(argv, { ...own, ...sharedFlags })
  const given = (name: string): readonly string[] => (values[name] ?? []) as readonly string[]
  const known = quirksOf('gateway')
  const unknown = [...given('quirk'), ...given('no-quirk')].find((id) => !known.includes(id))
  if (unknown !== undefined)
    throw usageError(
      `There is no quirk "${unknown}" here.${didYouMean(unknown, known)} Quirks:\n  ${known.join('\n  ')}`,
    )
  const like = values['like'] as string | undefined
  const server = serverLike(like, 'gateway', '--like')
  if (values['config-dir'] === '') throw usageError('--config-dir needs a folder.')
  return {
    text: (name) => values[name] as string | undefined,
    texts: (name) => (values[name] ?? []) as readonly string[],
    isSet: (name) => values[name] === true,
    words: positionals,
    quirks: quirksLike(server, given('quirk'), given('no-quirk')),
    like: like ?? null,
    isJson: values['json'] === true,
  }
}

/** Flags and words of a command line. Throws a usage error that names the flag that is meant most likely. */
export function parseFlags(
  argv: readonly string[],
  options: FlagTable,
  allowPositionals = true,
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals })
  } catch (error) {
    throw usageError(flagMessage(error, Object.keys(options)) ?? 'These flags cannot be read.')
  }
}

/** What is wrong with flags, in a sentence; undefined for any other error. Values are not repeated: one can be secret. */
function flagMessage(error: unknown, known: readonly string[]): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    const flag = /'(?:-\w, )?(--[\w-]+)/.exec(error.message)?.[1] ?? 'A flag'
    return error.message.includes('does not take')
      ? `${flag} takes no value.`
      : `${flag} needs a value of its own; one that begins with - is written ${flag}=VALUE.`
  }
  if (!code.startsWith('ERR_PARSE_ARGS_')) return undefined
  const unknown = /^Unknown option '--?([\w-]+)/.exec(error.message)?.[1]
  const hint = unknown === undefined ? '' : didYouMean(unknown, known, '--')
  return `${error.message.split('. ')[0]}.${hint}`
}

/** A command under another one. `run` resolves to the exit code. */
export type Subcommand = {
  readonly names: readonly string[]
  readonly flags: FlagTable
  readonly run: (flags: Flags, io: CommandIo) => Promise<number>
}

/** Runs one of the subcommands, and says what was refused or wrong. `help` is the text of all of them. */
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
      const what = name === '' ? `${group} needs a command` : `There is no command ${group} ${name}`
      const hint = didYouMean(
        name,
        subcommands.flatMap(({ names }) => names),
        `${group} `,
      )
      throw usageError(`${what}.${hint} Commands: ${known}.`)
    }
    return await found.run(readFlags(rest, found.flags), io)
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
 * The secret of the user: the value of --secret, standard input for `-`, or a file. One line end after it is not part of it.
 * Undefined where none is given. Throws a usage error for more than one, and for a file that cannot be read.
 */
export async function readSecret(flags: Flags, io: CommandIo): Promise<string | undefined> {
  const value = flags.text('secret')
  const file = flags.text('secret-file')
  if (value !== undefined && file !== undefined)
    throw usageError('There is one secret: give --secret or --secret-file.')
  if (file !== undefined) {
    try {
      return withoutLineEnd(await readFile(resolve(io.cwd, file), 'utf8'))
    } catch (error) {
      throw usageError(`Cannot read the file of --secret-file: ${(error as Error).message}.`)
    }
  }
  if (value === '-') return withoutLineEnd(await readInput(io))
  if (value !== undefined && value !== '' && io.stderr.isTTY === true) {
    io.stderr.write(
      'Others on this machine can see the value of --secret in the list of processes; --secret - and --secret-file keep it out.\n',
    )
  }
  return value
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')

/** Standard input as text, to its end. */
export async function readInput({ stdin }: CommandIo): Promise<string> {
  if (stdin === undefined) return ''
  const chunks: Buffer[] = []
  for await (const chunk of stdin()) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString()
}
