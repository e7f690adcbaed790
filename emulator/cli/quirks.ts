// The command `quirks`: what --quirk can switch on.

import type { Quirk } from '../../spec/language.ts'
import { quirks } from '../../spec/truth/quirks.ts'
import type { CommandIo } from './io.ts'
import { listCommand } from './list-command.ts'

const help = `Usage: flowdouble quirks [--json]

Lists the behaviours of real servers that differ from the description, and what holds without them.
Switch one on with: flowdouble serve --quirk ID

Options:
  --json      one JSON object by id
  -h, --help  this text

Example:
  flowdouble quirks
`

/** Runs the command with the arguments after `quirks`; gives its exit code. */
export const quirksCommand = (argv: readonly string[], io: CommandIo): number =>
  listCommand('quirks', help, argv, io, (isJson) =>
    isJson ? `${JSON.stringify(quirks, null, 2)}\n` : listing(),
  )

function listing(): string {
  return Object.entries<Quirk>(quirks)
    .map(([id, quirk]) =>
      [
        `${id} (${quirk.on.join(', ')})`,
        `default:  ${quirk.default}`,
        `switched: ${quirk.quirk}\n`,
      ].join('\n  '),
    )
    .join('\n')
}
