// The command `quirks`: what --quirk can switch on.

import { parseArgs } from 'node:util'
import type { Quirk } from '../../spec/language.ts'
import { quirks } from '../../spec/quirks.ts'
import type { CommandIo } from './run.ts'

const help = `Usage: flowdouble quirks [--json]

Lists the behaviours of real servers that differ from the description, and what holds without them.
Switch one on with: flowdouble serve --quirk ID

Options:
  --json      one JSON object by id
  -h, --help  this text

Example:
  flowdouble quirks
`

/** Runs the command with the arguments after `quirks`; resolves to its exit code. */
export function quirksCommand(argv: readonly string[], io: CommandIo): number {
  const flag = parseArgs({ args: [...argv], strict: false, allowPositionals: true })
  const { json, h, help: wantsHelp, ...unknown } = flag.values
  if (Object.keys(unknown).length > 0 || flag.positionals.length > 0) {
    io.stderr.write('quirks takes --json only.\nSee: flowdouble quirks --help\n')
    return 2
  }
  if (h || wantsHelp) io.stdout.write(help)
  else io.stdout.write(json ? `${JSON.stringify(quirks, null, 2)}\n` : listing())
  return 0
}

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
