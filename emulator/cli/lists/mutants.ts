// The command `mutants`: lists the servers with one deliberate fault that --mutant plays.

import type { CommandIo } from '../lib/io.ts'
import { listCommand } from './list-command.ts'
import { loadWrongServers, type WrongServer } from '../lib/wrong-servers.ts'

const help = `Usage: flowdouble mutants [--json]

Lists servers and gateways with one deliberate fault each, one per line: name, place, and the rules that it breaks.
Test suites for such servers have to fail on them. Play one with: flowdouble serve --mutant NAME

Options:
  --json      print one JSON array of objects: name, on, breaks (id and sentence of each rule)
  -h, --help  print this help

Examples:
  flowdouble mutants | grep messages/
  flowdouble serve --mutant messages/null-never
  flowdouble serve --deployment hosted --mutant jobs/raw-words
  flowdouble gateway run --mutant signatures/body-is-trimmed
`

/** Runs the command with the arguments after `mutants`; resolves to its exit code. */
export async function mutantsCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const all = loadWrongServers()
  return listCommand('mutants', help, argv, io, (isJson) =>
    isJson ? `${JSON.stringify(all.map(described), null, 2)}\n` : listing(all),
  )
}

const described = ({ name, on, breaks }: WrongServer) => ({ name, on, breaks })

function listing(all: readonly WrongServer[]): string {
  const width = Math.max(...all.map(({ name }) => name.length))
  const lines = all.map(
    ({ name, on, breaks }) =>
      `${name.padEnd(width)}  ${(on.length > 1 ? 'both' : (on[0] ?? '')).padEnd(7)}  ${breaks.map(({ id }) => id).join(' ')}`,
  )
  return `${lines.join('\n')}\n\n${all.length} mutants.\n`
}
