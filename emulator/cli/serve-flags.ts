// The flags of `serve`: those of the server follow from the table of options, and the help from both.

import { usageError } from '../options/usage.ts'
import { gatewayAddress } from '../../spec/gateway/webhooks.ts'
import type { OptionEntry } from '../options/read.ts'
import { optionTable } from '../options/table.ts'
import { type FlagTable, parseFlags } from './command.ts'

/** Flags that are not options of the server. */
const ownFlags = {
  config: { type: 'string' },
  'token-env': { type: 'string' },
  'ready-file': { type: 'string' },
  log: { type: 'string' },
  'log-format': { type: 'string', default: 'text' },
  'tls-ca': { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  run: { type: 'string' },
  out: { type: 'string', default: 'output' },
  'with-gateway': { type: 'boolean' },
  'gateway-port': { type: 'string' },
  'config-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Where --tls auto writes the certificate of its authority, unless a flag names another file. */
export const caFile = 'flowdouble-ca.pem'

const entries = Object.entries<OptionEntry>(optionTable)

/** The help of the command, as printed by `--help`. */
export const serveHelp = (): string => `Usage: flowdouble serve [options]

Starts a test double of a workflow execution server: clients talk to it as to a real one. No GPU, no models.

Options of the server (each also stands in a config file, in camelCase):
${entries.map(([, { flag, value, help }]) => helpLine(`--${flag} ${value}`, help)).join('\n')}

Options of the command:
${helpLine('--config FILE', 'JSON file with options of the server; flags win over it')}
${helpLine('--token-env NAME', 'the environment variable that holds the token')}
${helpLine('--tls-ca FILE', `where --tls auto writes what clients have to trust (default ${caFile})`)}
${helpLine('--run WORKFLOW', 'run this workflow once, as soon as the server listens (of both: the local one)')}
${helpLine('--out DIR', 'where --run puts the outputs (default output)')}
${helpLine('--with-gateway', 'a webhook gateway beside it, on the same clock; flowdouble gateway has more')}
${helpLine('--gateway-port PORT', `its port; 0 takes a free one (default that of its settings, ${gatewayAddress.port})`)}
${helpLine('--config-dir DIR', 'where its settings and subscriptions are, but for host and enabled (default: kept in memory)')}
${helpLine('--ready-file FILE', 'there while the server listens, with its addresses as JSON')}
${helpLine('--log FILE', 'append the log of requests, runs and warnings to this file, instead of showing it')}
${helpLine('--log-format FORMAT', 'text, or json: each line of the log is an object')}
${helpLine('--json', 'print the addresses as one line of JSON; the log goes to standard error')}
${helpLine('--quiet', 'show no requests and no runs; warnings and errors stay')}
${helpLine('-h, --help', 'this text')}

Exit codes: 0 stopped by SIGINT or SIGTERM, 2 wrong usage or the port is in use.

Examples:
  flowdouble serve
  flowdouble serve --port 0 --json                      a free port, told on the first line of output
  flowdouble serve --deployment both                    a local and a hosted server, ports 8188 to 8190
  flowdouble serve --clock instant --seed 7             everything at once, the same bytes each time
  flowdouble serve --object-info dump.json --models any your own node types, any model file
  flowdouble serve --quirk history.completed-on-error   what some real servers do
`

const helpLine = (flag: string, help: string): string => `  ${flag.padEnd(22)} ${help}`

export type Flags = ReturnType<typeof readFlags>

/** Reads the arguments after `serve`. Throws a usage error for flags that there are not. */
export function readFlags(argv: readonly string[]): {
  readonly server: Readonly<Record<string, string | string[]>>
  readonly config?: string
  readonly tokenEnv?: string
  readonly readyFile?: string
  readonly tlsCa?: string
  readonly run?: string
  readonly out: string
  readonly withGateway: boolean
  readonly gatewayPort?: string
  readonly configDir?: string
  readonly log?: string
  readonly logFormat: 'text' | 'json'
  readonly json: boolean
  readonly quiet: boolean
  readonly help: boolean
} {
  const options: FlagTable = { ...ownFlags }
  // Several servers of one command can each be like another one.
  for (const [, { flag, many }] of entries)
    options[flag] = { type: 'string', multiple: many ?? flag === 'like' }
  const { values } = parseFlags(argv.map(spellOut), options, false)
  const server: Record<string, string | string[]> = {}
  for (const [name, { flag }] of entries) {
    const value = values[flag]
    if (typeof value === 'string' || Array.isArray(value)) server[name] = value as string | string[]
  }
  const text = (name: string): string | undefined => values[name] as string | undefined
  const [config, readyFile, run] = [text('config'), text('ready-file'), text('run')]
  const [tokenEnv, tlsCa] = [text('token-env'), text('tls-ca')]
  const [gatewayPort, configDir] = [text('gateway-port'), text('config-dir')]
  const log = text('log')
  return {
    server,
    ...(config !== undefined && { config }),
    ...(tokenEnv !== undefined && { tokenEnv }),
    ...(tlsCa !== undefined && { tlsCa }),
    ...(readyFile !== undefined && { readyFile }),
    ...(run !== undefined && { run }),
    ...(gatewayPort !== undefined && { gatewayPort }),
    ...(configDir !== undefined && { configDir }),
    ...(log !== undefined && { log }),
    logFormat: logFormatOf(text('log-format')),
    withGateway: values['with-gateway'] === true,
    out: text('out') ?? 'output',
    json: values['json'] === true,
    quiet: values['quiet'] === true,
    help: values['help'] === true,
  }
}

function logFormatOf(format: string | undefined): 'text' | 'json' {
  if (format === 'text' || format === 'json') return format
  throw usageError(`--log-format cannot be ${JSON.stringify(format)}: it is text or json.`)
}

const bareFlags = new Map(entries.map(([, { flag, bare }]) => [`--${flag}`, bare]))

/** A flag that comes without its value gets the one that it stands for alone. */
function spellOut(arg: string, at: number, argv: readonly string[]): string {
  const bare = bareFlags.get(arg)
  const isAlone = argv[at + 1]?.startsWith('-') ?? true
  return bare !== undefined && isAlone ? `${arg}=${bare}` : arg
}
