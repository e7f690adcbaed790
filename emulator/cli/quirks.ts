// The command `quirks`: what --quirk can switch on, and what --like makes of the defaults.

import type { Quirk } from '../../spec/language.ts'
import { quirks } from '../../spec/truth/quirks.ts'
import { type NamedServer, servers } from '../../spec/truth/servers.ts'
import { didYouMean } from '../lib/nearest.ts'
import { usageError } from '../options/usage.ts'
import type { CommandIo } from './io.ts'
import { listCommand } from './list-command.ts'

const help = `Usage: flowdouble quirks [--like NAME] [--json]

Lists the behaviours of real servers that differ from the description, and what holds without them.
Switch one on with: flowdouble serve --quirk ID

Options:
  --like NAME  only what this known server switches: its quirks and its other defaults; one of
               ${Object.keys(servers).join(', ')}
  --json       one JSON object by id; with --like {says, on, quirks, options, serverHeader}
  -h, --help   this text

Examples:
  flowdouble quirks
  flowdouble quirks --like comfyui-0.3.64
`

/** Runs the command with the arguments after `quirks`; gives its exit code. */
export const quirksCommand = (argv: readonly string[], io: CommandIo): number =>
  listCommand(
    'quirks',
    help,
    argv,
    io,
    (isJson, { like }) => {
      if (typeof like === 'string') return likeText(like, isJson)
      return isJson ? `${JSON.stringify(quirks, null, 2)}\n` : listing(Object.entries(quirks))
    },
    { like: { type: 'string' } },
  )

const listing = (entries: readonly (readonly [string, Quirk])[]): string =>
  entries
    .map(([id, quirk]) =>
      [
        `${id} (${quirk.on.join(', ')})`,
        `default:  ${quirk.default}`,
        `switched: ${quirk.quirk}\n`,
      ].join('\n  '),
    )
    .join('\n')

function likeText(name: string, isJson: boolean): string {
  const names = Object.keys(servers)
  const server = (servers as Readonly<Record<string, NamedServer | undefined>>)[name]
  if (!names.includes(name) || server === undefined)
    throw usageError(
      `There is no server "${name}".${didYouMean(name, names)} Known: ${names.join(', ')}.`,
    )
  const { says, on, options } = server
  if (isJson)
    return `${JSON.stringify({ says, on, quirks: server.quirks, options, serverHeader: server.serverHeader }, null, 2)}\n`
  const own = server.quirks.map((id) => [id, quirks[id] as Quirk] as const)
  const defaults = [
    ...Object.entries(options).map(([option, value]) => `${option}: ${value}`),
    `header Server: ${server.serverHeader}`,
  ]
  return `${name}: ${says}\n\nOther defaults\n  ${defaults.join('\n  ')}\n\n${listing(own)}`
}
