// Shared by the commands that print a list: --json, --help, and flags that select from the list.

import { isUsageError, usageError } from '../../options/usage.ts'
import { type FlagTable, parseFlags } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'

/**
 * Runs such a command with the arguments after its name; returns its exit code.
 * @param list renders the list, for people or as JSON. Throws a usage error for an invalid selection.
 * @param own flags in addition to --json and --help.
 */
export function listCommand(
  name: string,
  help: string,
  argv: readonly string[],
  { stdout, stderr }: CommandIo,
  list: (isJson: boolean, values: Readonly<Record<string, unknown>>) => string,
  own: FlagTable = {},
): number {
  try {
    const flags: FlagTable = {
      ...own,
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    }
    const { values, positionals } = parseFlags(argv, flags)
    const taken = Object.keys(flags).flatMap((flag) => (flag === 'help' ? [] : `--${flag}`))
    if (positionals.length > 0) throw usageError(`${name} takes ${taken.join(' and ')} only.`)
    stdout.write(values['help'] === true ? help : list(values['json'] === true, values))
    return 0
  } catch (error) {
    if (!isUsageError(error)) throw error
    stderr.write(`${error.message}\nSee: flowdouble ${name} --help\n`)
    return 2
  }
}
