// The flags of `serve`: the server's flags come from the option table, and the help text comes from both.

import { usageError } from '../options/usage.ts'
import { gatewayAddress } from '../../spec/gateway/address.ts'
import { serversOn } from '../options/like.ts'
import type { OptionEntry } from '../options/read.ts'
import { optionTable } from '../options/table.ts'
import { type FlagTable, parseFlags } from './lib/command.ts'
import { allOptions, helpLine, optionFlags, optionHelp, optionsGiven } from './lib/server-flags.ts'
import { variablesHelp } from './lib/variables.ts'

/** Flags that are not options of the server. */
const ownFlags = {
  config: { type: 'string' },
  'token-env': { type: 'string' },
  'ready-file': { type: 'string' },
  workers: { type: 'string' },
  'stop-with-stdin': { type: 'boolean' },
  log: { type: 'string' },
  'log-format': { type: 'string', default: 'text' },
  'tls-ca': { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  watch: { type: 'boolean' },
  run: { type: 'string' },
  out: { type: 'string', default: 'output' },
  'with-gateway': { type: 'boolean' },
  'gateway-port': { type: 'string' },
  'config-dir': { type: 'string' },
  mutant: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** The file for the certificate authority of --tls auto, unless --tls-ca names another one. */
export const caFile = 'flowdouble-ca.pem'

/** The help text that `--help` prints. */
export const serveHelp = (): string => `Usage: flowdouble serve [options]

Starts a test double of a workflow execution server. Clients use it like a real one; it needs no GPU and no models.

Server options (a config file can contain them in camelCase):
${optionHelp(allOptions)}

Command options:
${helpLine('--config FILE', 'JSON file with server options; flags override it')}
${helpLine('--token-env NAME', 'environment variable with the bearer token')}
${helpLine('--tls-ca FILE', `where --tls auto writes the CA certificate that clients must trust (default ${caFile})`)}
${helpLine('--watch', 'reload the scenario when its file changes, or one that it names; the clock and all state stay')}
${helpLine('--run WORKFLOW', 'run this workflow once the server listens (with both: on the local server)')}
${helpLine('--out DIR', 'directory for the outputs of --run (default output)')}
${helpLine('--with-gateway', `also start a webhook gateway on the same clock, for which --like can name ${serversOn('gateway').join(', ')}; see flowdouble gateway --help`)}
${helpLine('--gateway-port PORT', `port of the gateway; 0 picks a free one (default: from its settings, else ${gatewayAddress.port})`)}
${helpLine('--config-dir DIR', 'directory of the gateway settings and subscriptions; host and enabled are ignored (default: in memory)')}
${helpLine('--mutant NAME', 'play a server with one deliberate fault, to test test suites; flowdouble mutants lists them')}
${helpLine('--workers N', 'spread worlds over N processes, each at a port after --port, which creates, lists and closes worlds')}
${helpLine('--ready-file FILE', 'write the addresses as JSON to this file while the server listens')}
${helpLine('--stop-with-stdin', 'also stop when standard input ends: no server outlives a program that started it and was killed')}
${helpLine('--log FILE', 'append requests, runs and warnings to this file instead of printing them')}
${helpLine('--log-format FORMAT', 'log format: text, or json for one JSON object per line')}
${helpLine('--json', 'print the addresses as one line of JSON; log to standard error')}
${helpLine('--quiet', 'print warnings and errors only')}
${helpLine('-h, --help', 'print this help')}

${variablesHelp}
Exit codes: 0 stopped by SIGINT, SIGTERM or the end of standard input, 2 wrong usage or the port is in use.

Examples:
  flowdouble serve
  flowdouble serve --port 0 --json                      picks a free port and prints it as JSON on the first line
  flowdouble serve --deployment both                    a local and a hosted server, on ports 8188 to 8190
  flowdouble serve --clock instant --seed 7             no waiting, the same bytes each time
  flowdouble serve --object-info dump.json --models any your node types, any model file
  flowdouble serve --scenario out-of-memory             a named scenario, or a file
  flowdouble serve --quirk history.completed-on-error   a behaviour of some real servers
`

/** The flags by name. */
export const serveFlags = (): FlagTable => ({ ...ownFlags, ...optionFlags(allOptions, true) })

export type Flags = ReturnType<typeof readFlags>

/** Parses the arguments after `serve`. Throws a usage error for an unknown flag. */
export function readFlags(argv: readonly string[]): {
  readonly server: Readonly<Record<string, string | string[]>>
  readonly config?: string
  readonly tokenEnv?: string
  readonly readyFile?: string
  readonly workers?: string
  readonly stopWithStdin: boolean
  readonly tlsCa?: string
  readonly run?: string
  readonly out: string
  readonly withGateway: boolean
  readonly gatewayPort?: string
  readonly configDir?: string
  readonly mutant?: string
  readonly log?: string
  readonly logFormat: 'text' | 'json'
  readonly json: boolean
  readonly quiet: boolean
  readonly watch: boolean
  readonly help: boolean
} {
  const { values } = parseFlags(argv.map(spellOut), serveFlags(), false)
  const text = (name: string): string | undefined => values[name] as string | undefined
  const [config, readyFile, run] = [text('config'), text('ready-file'), text('run')]
  const [tokenEnv, tlsCa] = [text('token-env'), text('tls-ca')]
  const [gatewayPort, configDir] = [text('gateway-port'), text('config-dir')]
  const [log, mutant, workers] = [text('log'), text('mutant'), text('workers')]
  return {
    server: optionsGiven(allOptions, values),
    ...(config !== undefined && { config }),
    ...(tokenEnv !== undefined && { tokenEnv }),
    ...(tlsCa !== undefined && { tlsCa }),
    ...(readyFile !== undefined && { readyFile }),
    ...(run !== undefined && { run }),
    ...(gatewayPort !== undefined && { gatewayPort }),
    ...(configDir !== undefined && { configDir }),
    ...(log !== undefined && { log }),
    ...(mutant !== undefined && { mutant }),
    ...(workers !== undefined && { workers }),
    logFormat: logFormatOf(text('log-format')),
    withGateway: values['with-gateway'] === true,
    stopWithStdin: values['stop-with-stdin'] === true,
    out: text('out') ?? 'output',
    json: values['json'] === true,
    quiet: values['quiet'] === true,
    watch: values['watch'] === true,
    help: values['help'] === true,
  }
}

function logFormatOf(format: string | undefined): 'text' | 'json' {
  if (format === 'text' || format === 'json') return format
  throw usageError(`--log-format must be text or json, not ${JSON.stringify(format)}.`)
}

/** What flags with an optional value mean without one. */
export const bareFlags: ReadonlyMap<string, string> = new Map(
  Object.values<OptionEntry>(optionTable).flatMap(({ flag, bare }) =>
    bare === undefined ? [] : [[flag, bare]],
  ),
)

/** Adds the default value to a flag that stands alone. */
function spellOut(arg: string, at: number, argv: readonly string[]): string {
  const bare = arg.startsWith('--') ? bareFlags.get(arg.slice(2)) : undefined
  const isAlone = argv[at + 1]?.startsWith('-') ?? true
  return bare !== undefined && isAlone ? `${arg}=${bare}` : arg
}
