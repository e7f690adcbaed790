// The command `serve`: starts a server, says where it is, and shows on a terminal what happens.

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { gatewayAddress } from '../../spec/webhooks.ts'
import type { ClockGroup } from '../edge/clock.ts'
import type { Gateway } from '../edge/gateway.ts'
import { type Emulator, startEmulator } from '../edge/node.ts'
import { type OptionEntry, optionTable } from '../option-table.ts'
import { completeOptions, isUsageError, type ServerOptions, usageError } from '../options.ts'
import { isRefused } from '../refused.ts'
import { flagMessage } from './command.ts'
import { listenMessage, writeReadyFile } from './listening.ts'
import type { CommandIo } from './run.ts'

/** Flags that are not options of the server. */
const ownFlags = {
  config: { type: 'string' },
  'token-env': { type: 'string' },
  'ready-file': { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  run: { type: 'string' },
  out: { type: 'string', default: 'output' },
  'with-gateway': { type: 'boolean' },
  'gateway-port': { type: 'string' },
  'config-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const entries = Object.entries<OptionEntry>(optionTable)

export const serveHelp = (): string => `Usage: flowdouble serve [options]

Starts a test double of a workflow execution server: clients talk to it as to a real one. No GPU, no models.

Options of the server (each also stands in a config file, in camelCase):
${entries.map(([, { flag, value, help }]) => helpLine(`--${flag} ${value}`, help)).join('\n')}

Options of the command:
${helpLine('--config FILE', 'JSON file with options of the server; flags win over it')}
${helpLine('--token-env NAME', 'the environment variable that holds the token')}
${helpLine('--run WORKFLOW', 'run this workflow once, as soon as the server listens')}
${helpLine('--out DIR', 'where --run puts the outputs (default output)')}
${helpLine('--with-gateway', 'a webhook gateway beside it, on the same clock; flowdouble gateway has more')}
${helpLine('--gateway-port PORT', `its port; 0 takes a free one (default ${gatewayAddress.port})`)}
${helpLine('--config-dir DIR', 'where its settings and subscriptions are (default: kept in memory)')}
${helpLine('--ready-file FILE', 'written when the server listens, with its addresses as JSON')}
${helpLine('--json', 'print the addresses as one line of JSON, and nothing else')}
${helpLine('--quiet', 'print nothing but errors')}
${helpLine('-h, --help', 'this text')}

Exit codes: 0 stopped by SIGINT or SIGTERM, 2 wrong usage or the port is in use.

Examples:
  flowdouble serve
  flowdouble serve --port 0 --json                      a free port, told on the first line of output
  flowdouble serve --clock instant --seed 7             everything at once, the same bytes each time
  flowdouble serve --object-info dump.json --models any your own node types, any model file
  flowdouble serve --quirk history.completed-on-error   what some real servers do
`

const helpLine = (flag: string, help: string): string => `  ${flag.padEnd(22)} ${help}`

/** Runs the command with the arguments after `serve`; resolves to its exit code when the server has stopped. */
export async function serveCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const flags = readFlags(argv)
    if (flags.help) {
      io.stdout.write(serveHelp())
      return 0
    }
    if (flags.run !== undefined) requireFile(resolve(io.cwd, flags.run))
    const display = flags.json || flags.quiet ? undefined : await import('./serve-display.ts')
    const watch = display && io.stdout.isTTY ? display.createWatch(io) : undefined
    const beside = await besideOf(flags)
    const clocks: ClockGroup = { members: [] }
    const emulator = await startEmulator({
      ...readOptions(flags, io),
      ...(watch && { onEntry: watch.show }),
      clocks,
    })
    let gateway: Gateway | undefined
    try {
      gateway = await beside?.startBeside(flags, emulator.options, clocks, io)
      announce(emulator, gateway, flags, io)
      if (display) io.stdout.write(display.banner(emulator, io, gateway))
      await untilStopped(emulator, flags, io)
      return 0
    } finally {
      await gateway?.close()
      await emulator.close()
    }
  } catch (error) {
    const message = usageMessage(error)
    if (message === undefined) throw error
    io.stderr.write(`${message}\nSee: flowdouble serve --help\n`)
    return 2
  }
}

/** What starts the gateway, where one is asked for. Throws a usage error for flags that need one. */
async function besideOf(flags: Flags) {
  const isAsked =
    flags.withGateway || flags.gatewayPort !== undefined || flags.configDir !== undefined
  if (!isAsked) return undefined
  const beside = await import('./serve-gateway.ts')
  beside.checkGatewayFlags(flags)
  return beside
}

/** Throws a usage error at once for a workflow that cannot even be read. */
function requireFile(path: string): void {
  try {
    readFileSync(path)
  } catch (error) {
    throw usageError(`Cannot read the workflow of --run: ${(error as Error).message}`)
  }
}

type Flags = ReturnType<typeof readFlags>

function readFlags(argv: readonly string[]): {
  readonly server: Readonly<Record<string, string | string[]>>
  readonly config?: string
  readonly tokenEnv?: string
  readonly readyFile?: string
  readonly run?: string
  readonly out: string
  readonly withGateway: boolean
  readonly gatewayPort?: string
  readonly configDir?: string
  readonly json: boolean
  readonly quiet: boolean
  readonly help: boolean
} {
  const options: ParseArgsConfig['options'] = { ...ownFlags }
  for (const [, { flag, many }] of entries)
    options[flag] = { type: 'string', multiple: many ?? false }
  const { values } = parseArgs({ args: argv.map(spellOut), options, strict: true })
  const server: Record<string, string | string[]> = {}
  for (const [name, { flag }] of entries) {
    const value = values[flag]
    if (typeof value === 'string' || Array.isArray(value)) server[name] = value as string | string[]
  }
  const text = (name: string): string | undefined => values[name] as string | undefined
  const [config, readyFile, run] = [text('config'), text('ready-file'), text('run')]
  const tokenEnv = text('token-env')
  const [gatewayPort, configDir] = [text('gateway-port'), text('config-dir')]
  return {
    server,
    ...(config !== undefined && { config }),
    ...(tokenEnv !== undefined && { tokenEnv }),
    ...(readyFile !== undefined && { readyFile }),
    ...(run !== undefined && { run }),
    ...(gatewayPort !== undefined && { gatewayPort }),
    ...(configDir !== undefined && { configDir }),
    withGateway: values['with-gateway'] === true,
    out: text('out') ?? 'output',
    json: values['json'] === true,
    quiet: values['quiet'] === true,
    help: values['help'] === true,
  }
}

const bareFlags = new Map(entries.map(([, { flag, bare }]) => [`--${flag}`, bare]))

/** A flag that comes without its value gets the one that it stands for alone. */
function spellOut(arg: string, at: number, argv: readonly string[]): string {
  const bare = bareFlags.get(arg)
  const isAlone = argv[at + 1]?.startsWith('-') ?? true
  return bare !== undefined && isAlone ? `${arg}=${bare}` : arg
}

/** Options from the config file, then from the flags. Paths in the config are relative to it. */
function readOptions(flags: Flags, { cwd, env }: CommandIo): Readonly<Record<string, unknown>> {
  const fromFile = flags.config === undefined ? {} : readConfig(resolve(cwd, flags.config))
  // Looked at one by one first, so that a refusal names the place where the mistake stands.
  completeOptions(fromFile, (name) => `option "${name}" of ${flags.config}`)
  completeOptions(flags.server, (name) => `--${optionTable[name as keyof ServerOptions].flag}`)
  const { tokenEnv } = flags
  if (tokenEnv === undefined) return { ...fromFile, ...flags.server }
  const token = env[tokenEnv]
  if (!token) throw usageError(`The environment variable ${tokenEnv} holds no token.`)
  return { ...fromFile, token, ...flags.server }
}

function readConfig(path: string): Readonly<Record<string, unknown>> {
  let config: unknown
  try {
    config = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw usageError(`Cannot read the config ${path}: ${(error as Error).message}`)
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw usageError(`The config ${path} is not a JSON object.`)
  }
  const { $schema: _, ...options } = config as Record<string, unknown>
  for (const name of ['objectInfo', 'journal']) {
    const file = options[name]
    if (typeof file === 'string') options[name] = resolve(dirname(path), file)
  }
  return options
}

/** Tells machines where the server is. */
function announce(
  emulator: Emulator,
  gateway: Gateway | undefined,
  flags: Flags,
  io: CommandIo,
): void {
  const { url, port } = emulator
  const addresses = {
    url,
    ws: `${url.replace(/^http/, 'ws')}/ws`,
    port,
    pid: process.pid,
    ...(gateway && { gateway: gateway.url }),
  }
  if (flags.json) io.stdout.write(`${JSON.stringify(addresses)}\n`)
  if (flags.readyFile !== undefined) writeReadyFile(flags.readyFile, addresses, io.cwd)
}

async function untilStopped(emulator: Emulator, flags: Flags, io: CommandIo): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
  if (flags.run !== undefined)
    await Promise.race([runOnce(emulator, flags.run, flags, io), stopped])
  await stopped
}

async function runOnce(
  emulator: Emulator,
  workflow: string,
  flags: Flags,
  io: CommandIo,
): Promise<void> {
  const { runCommand } = await import('./run.ts')
  const { token } = emulator.options
  const argv = [
    workflow,
    '--url',
    token === null ? emulator.url : `${emulator.url}/?token=${encodeURIComponent(token)}`,
    '--out',
    flags.out,
    ...(flags.quiet ? ['--quiet'] : []),
  ]
  // What --json prints is its first line alone; the paths then go to the other stream.
  const code = await runCommand(argv, flags.json ? { ...io, stdout: io.stderr } : io)
  if (flags.json || flags.quiet) return
  const { nextStep } = await import('./serve-display.ts')
  io.stdout.write(nextStep(emulator, code === 0, io.cwd))
}

/** The text of an error that the user can do something about, or undefined. */
function usageMessage(error: unknown): string | undefined {
  if (isUsageError(error) || isRefused(error)) return error.message
  const message = flagMessage(error) ?? listenMessage(error)
  if (message !== undefined) return message
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
    ? error.message
    : undefined
}
