// Flags by environment variables: FLOWDOUBLE_PORT=8288 stands for --port 8288, for commands in containers and in CI. A flag
// on the command line overrides its variable. Variables reach a command as further arguments, so that whatever holds of a
// flag holds of its variable; only messages name it otherwise.

import { parseArgs, type ParseArgsConfig } from 'node:util'
import { nearest } from '../../lib/nearest.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import type { CommandIo } from './io.ts'

/** Flags by their names. */
export type FlagTable = NonNullable<ParseArgsConfig['options']>

const prefix = 'FLOWDOUBLE_'

/** The variable of a flag. */
export const variableOf = (flag: string): string => prefix + flag.toUpperCase().replaceAll('-', '_')

/** The sentences of a help text about variables. */
export const variablesHelp = `Each flag also has a variable, FLOWDOUBLE_ and its name in capitals: FLOWDOUBLE_START_DELAY=0. A flag overrides it, an
empty one counts as not set. Switches take 1, true, 0 or false; what is repeatable takes a,b or a JSON array.
`

/** What resembles a flag and is none: FLOWDOUBLE_NODE names the Node that the Python package runs. */
const notFlags: ReadonlySet<string> = new Set(['NODE'])

/**
 * Runs a command with its arguments and the flags that only variables give. Warns about a variable that is nearly the one of a
 * flag. Messages about what a variable gave name the variable.
 * @param bare what a flag with an optional value means without one.
 */
export async function withVariables(
  argv: readonly string[],
  flags: FlagTable,
  { env, stderr }: CommandIo,
  run: (argv: readonly string[]) => Promise<number>,
  bare: ReadonlyMap<string, string> = new Map(),
): Promise<number> {
  const written = namesIn(argv, flags)
  if (written.has('help')) return run(argv)
  for (const line of misspelt(Object.keys(flags), env)) stderr.write(line)
  const given = Object.keys(flags).filter(
    (flag) => flag !== 'help' && !written.has(flag) && (env[variableOf(flag)] ?? '') !== '',
  )
  const added = given.flatMap((flag) =>
    argumentsFor(flag, flags[flag], bare.get(flag), env[variableOf(flag)] ?? ''),
  )
  try {
    return await run([...added, ...argv])
  } catch (error) {
    throw isUsageError(error) ? usageError(withVariableNames(error.message, given)) : error
  }
}

/** The flags of a command line, also of one that cannot be used. */
function namesIn(argv: readonly string[], options: FlagTable): ReadonlySet<string> {
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true })
  return new Set(tokens.flatMap((token) => (token.kind === 'option' ? token.name : [])))
}

/** The arguments that a variable stands for. */
function argumentsFor(
  flag: string,
  { type, multiple = false }: FlagTable[string] = { type: 'string' },
  bare: string | undefined,
  value: string,
): readonly string[] {
  if (type === 'boolean') return switchOf(flag, value) ? [`--${flag}`] : []
  // Of --no-control, which means false, the variable says whether the flag is there.
  if (bare === 'true' || bare === 'false')
    return [`--${flag}=${switchOf(flag, value) === (bare === 'true')}`]
  return (multiple ? itemsOf(flag, value) : [value]).map((one) => `--${flag}=${one}`)
}

function switchOf(flag: string, value: string): boolean {
  const word = value.toLowerCase()
  if (word === '1' || word === 'true') return true
  if (word === '0' || word === 'false') return false
  throw usageError(`${variableOf(flag)} must be 1, true, 0 or false, not ${JSON.stringify(value)}.`)
}

/** The items of a list: between commas, or in a JSON array if one contains a comma. */
function itemsOf(flag: string, value: string): readonly string[] {
  if (!value.startsWith('['))
    return value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  try {
    const items: unknown = JSON.parse(value)
    if (Array.isArray(items)) return items.map(String)
  } catch {
    // The message below also says this.
  }
  throw usageError(`${variableOf(flag)} is not a JSON array. Write a list as a,b or ["a","b"].`)
}

/** A warning for each variable that is none of this command, but nearly. */
const misspelt = (flags: readonly string[], env: CommandIo['env']): readonly string[] =>
  Object.keys(env).flatMap((name) => {
    const word = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    if (word === '' || notFlags.has(word)) return []
    if (flags.some((flag) => variableOf(flag) === name)) return []
    const meant = nearest(word, flags)
    return meant === undefined
      ? []
      : [`flowdouble: ignores the variable ${name}. Did you mean ${variableOf(meant)}?\n`]
  })

const withVariableNames = (message: string, flags: readonly string[]): string =>
  flags.reduce(
    (text, flag) => text.replaceAll(new RegExp(`--${flag}(?![\\w-])`, 'g'), variableOf(flag)),
    message,
  )
