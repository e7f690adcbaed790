// The command `quirks`: lists what --quirk switches on, and what --like changes.

import type { Quirk } from '../../../spec/language.ts'
import { quirks } from '../../../spec/truth/quirks.ts'
import { type NamedServer, servers } from '../../../spec/truth/servers.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { usageError } from '../../options/usage.ts'
import type { CommandIo } from '../lib/io.ts'
import { listCommand } from './list-command.ts'

const help = `Usage: flowdouble quirks [--like NAME] [--json]

Lists behaviours of real servers that differ from the documentation, and the behaviour without the quirk.
Switch on a quirk with: flowdouble serve --quirk ID

Options:
  --like NAME  list only what this known server changes: its quirks and other defaults; one of
               ${Object.keys(servers).join(', ')}
  --json       print one JSON object, keyed by id; with --like {says, on, quirks, options, serverHeader}
  -h, --help   print this help

Examples:
  flowdouble quirks
  flowdouble quirks --like comfyui-0.3.64
`

/** Runs the command with the arguments after `quirks`; returns its exit code. */
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
      `Unknown server "${name}".${didYouMean(name, names)} Known servers: ${names.join(', ')}.`,
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
