// What the commands have in common that print a list and take no flag but --json.

import { parseArgs } from 'node:util'
import type { CommandIo } from './io.ts'

/**
 * Runs such a command with the arguments after its name; gives its exit code.
 * @param list the text of the list, for people or as JSON.
 */
export function listCommand(
  name: string,
  help: string,
  argv: readonly string[],
  { stdout, stderr }: CommandIo,
  list: (isJson: boolean) => string,
): number {
  const { values, positionals } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
  })
  const { json, h, help: wantsHelp, ...unknown } = values
  if (Object.keys(unknown).length > 0 || positionals.length > 0) {
    stderr.write(`${name} takes --json only.\nSee: flowdouble ${name} --help\n`)
    return 2
  }
  stdout.write(h || wantsHelp ? help : list(Boolean(json)))
  return 0
}
