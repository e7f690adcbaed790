// The command `gateway run`: reads the settings once, starts the gateway, prints its address, and logs what happens.

import { randomUUID } from 'node:crypto'
import { configFiles, exitCodes } from '../../../spec/gateway/subscriptions.ts'
import { printable } from '../../client/terminal-text.ts'
import { configDirOf, readSettings } from '../../config/config-dir.ts'
import { baseUrlOf, readBaseUrl } from '../../config/settings.ts'
import { subscriptionsPath } from '../../edge/gateway/subscriptions-file.ts'
import type { GatewayOptions } from '../../edge/gateway/gateway.ts'
import type { LogLine } from '../../gateway/log.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import { refused } from '../../lib/refused.ts'
import { bare, type Flags, type FlagTable, repeated, withValue } from '../lib/command.ts'
import { isPostgres } from '../../edge/gateway/store/place.ts'
import { drain, storeFlags, storeOptions, storePlace, storeText } from './gateway-store.ts'
import { readWork, type GatewayWork, workFlags } from './gateway-work.ts'
import { startWarnings } from './set-up-faults.ts'
import { listenMessage } from '../lib/listen-errors.ts'
import { readyFile } from '../lib/ready-file.ts'
import type { CommandIo } from '../lib/io.ts'
import { notEnabled } from './configuration.ts'
import type { Gateway } from '../../edge/handles.ts'

/** The flags of `gateway work`. */
export const workerFlags: FlagTable = {
  ...withValue('port', 'ready-file'),
  ...bare('quiet', 'json-log'),
  ...workFlags,
  ...storeFlags,
}

/** The flags of `gateway run`. */
export const runFlags: FlagTable = {
  ...withValue('host', 'webhook-base-url', 'mutant', 'control-token'),
  ...bare('control'),
  ...repeated('scenario'),
  ...workerFlags,
}

/** Starts the gateway. A case that only inspects the options passes a stand-in. */
export type StartGateway = (
  options: GatewayOptions,
) => Promise<Pick<Gateway, 'url' | 'port' | 'routes' | 'drain' | 'close'>>

/** Runs the gateway until the signal of `io` is aborted. */
export async function runGateway(
  flags: Flags,
  io: CommandIo,
  start: StartGateway,
  isWorker = false,
): Promise<number> {
  const command = isWorker ? 'gateway work' : 'gateway run'
  if (flags.words.length > 0) throw usageError(`${command} takes flags only.`)
  const dir = configDirOf(flags.text('config-dir'), io.env, io.cwd)
  const { env } = io
  const settings = await readSettings(dir, {
    env,
    flags: settingFlags(flags),
    quirks: flags.quirks,
  })
  if (!settings.enabled) throw refused(notEnabled(dir))
  const work = await readWork(flags, io, dir)
  const scenario = await scenariosOf(flags, io)
  const show = logger(flags, io)
  const options: GatewayOptions = {
    host: settings.host,
    port: settings.port,
    secret: settings.secret,
    routes: settings.routes,
    schemes: settings.schemes,
    baseUrl: settings.base_url,
    subscriptionsFile: subscriptionsPath(dir),
    rateLimit: settings.rate_limit,
    maxBodyBytes: settings.max_body_bytes,
    clock: 'real',
    epoch: 'now',
    // Ids must differ from one start to the next [webhooks/id-restarts].
    seed: randomUUID(),
    like: flags.like,
    quirk: flags.quirks,
    noQuirk: flags.texts('no-quirk'),
    ...work.options,
    ...scenario,
    ...storeOptions(flags, dir),
    ...(isWorker && workerOptions(flags, dir)),
    // Requests through a tunnel arrive from this machine as well, so these paths are off by default.
    control: flags.isSet('control'),
    controlToken: flags.text('control-token') ?? null,
    onLog: show,
  }
  const readyPath = flags.text('ready-file')
  const file = readyPath === undefined ? undefined : await readyFile(readyPath, io.cwd)
  const gateway = await start(await withMutant(flags, options, io)).catch((error: unknown) => {
    const message = listenMessage(error)
    if (message !== undefined) throw refused(message)
    // Invalid settings are not a usage error of the command.
    throw isUsageError(error) ? refused(error.message) : error
  })
  try {
    const { url, port } = gateway
    const routes = gateway.routes()
    const base_url = baseUrlOf({ ...settings, port })
    const ready = { url, base_url, port, pid: process.pid, routes }
    file?.write(ready)
    if (flags.isJson) io.stdout.write(`${JSON.stringify(ready)}\n`)
    else if (!flags.isSet('quiet'))
      io.stdout.write(printable(banner(ready, work, storePlace(flags, dir), dir)))
    const { quirks } = flags
    for (const text of await startWarnings({ dir, env, settings, quirks, plan: work.plan }))
      show({ level: 'warning', kind: 'gateway', text, fields: {} })
    await stopped(io.signal)
    await drain(gateway, flags, show)
    return exitCodes.done
  } finally {
    file?.remove()
    await gateway.close()
  }
}

/** A worker has no route: at its port it only says how it is. */
export function workerOptions(flags: Flags, dir: string): GatewayOptions {
  const place = storePlace(flags, dir)
  if (place === null || !isPostgres(place))
    throw usageError('gateway work needs --store postgres://..., which the gateways use too.')
  const port = Number(flags.text('port') ?? 0)
  return { host: '127.0.0.1', port, routes: {}, subscriptionsFile: null, secret: null }
}

/** The options with the fault of --mutant, which is printed. */
async function withMutant(
  flags: Flags,
  options: GatewayOptions,
  io: CommandIo,
): Promise<GatewayOptions> {
  const name = flags.text('mutant')
  if (name === undefined) return options
  const { faultLine, findWrongServer, gatewayWithFault } = await import('../lib/wrong-servers.ts')
  const wrong = findWrongServer(name)
  const faulty = gatewayWithFault(options, wrong)
  io.stderr.write(faultLine(wrong))
  return faulty
}

/** The scenarios of the flags. */
async function scenariosOf(
  flags: Flags,
  { cwd }: CommandIo,
): Promise<Pick<GatewayOptions, 'scenario'>> {
  const names = flags.texts('scenario')
  if (names.length === 0) return {}
  const { loadScenarios } = await import('../../config/scenario-files.ts')
  return { scenario: await loadScenarios(names, cwd) }
}

export function settingFlags(flags: Flags): Readonly<Record<string, unknown>> {
  const [port, base] = [flags.text('port'), flags.text('webhook-base-url')]
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw usageError('--port must be a port number, 0 to 65535.')
  const base_url = base === undefined ? undefined : readBaseUrl(base)
  if (base !== undefined && base_url === undefined)
    throw usageError('--webhook-base-url needs an address such as https://hooks.example.')
  const host = flags.text('host')
  if (host?.trim() === '') throw usageError('--host needs an address.')
  return { host, port, base_url }
}

type GatewayAddress = {
  readonly url: string
  readonly base_url: string
  readonly routes: readonly string[]
}

function banner(
  { url, base_url, routes }: GatewayAddress,
  { display }: GatewayWork,
  store: string | null,
  dir: string,
): string {
  const addresses = routes.map((name) => `    ${base_url}/webhooks/${encodeURIComponent(name)}`)
  return `
  flowdouble gateway  receives webhook events

  Address  ${url}
  Routes   ${routes.length === 0 ? '(none: flowdouble webhook subscribe NAME)' : routes.join(', ')}
${addresses.map((line) => `${line}\n`).join('')}  Agent    ${display.agent}
  Deliver  ${display.deliveries}
  Store    ${storeText(store)}

  Changes to ${dir}/${configFiles.subscriptions.name} take effect with the next request.
  Stop with Ctrl+C.

`
}

/**
 * Prints log lines: to standard output if that is a terminal, otherwise to standard error, so that standard output
 * carries only what a program requested. With --quiet, prints warnings and errors only.
 */
function logger(flags: Flags, io: CommandIo): (line: LogLine) => void {
  const [isQuiet, isData] = [flags.isSet('quiet'), flags.isSet('json-log')]
  const output = io.stdout.isTTY === true && !flags.isJson && !isQuiet ? io.stdout : io.stderr
  return ({ level, kind, world, text, fields }) => {
    const isSerious = level !== 'info'
    if (isQuiet && !isSerious) return
    const time = new Date().toISOString()
    if (isData) {
      output.write(`${JSON.stringify({ time, level, kind, world, message: text, ...fields })}\n`)
      return
    }
    // A text of several lines stays one entry: a sender cannot forge further log lines.
    const indented = text.replaceAll(/\r?\n/g, '\n    ')
    const second = `${time.slice(0, 19)}Z`
    const place = world === undefined ? '' : `/w/${world}  `
    output.write(printable(`${second}  ${place}${isSerious ? `${level}: ` : ''}${indented}\n`))
  }
}

const stopped = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
