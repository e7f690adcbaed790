// The command `serve`: starts one or two servers, prints their addresses, and logs what happens.

import type { Deployment } from '../../spec/language.ts'
import { generationLike } from '../../spec/truth/servers.ts'
import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { fileMark } from '../config/file-watch.ts'
import { knownTypes, readCatalog } from '../edge/catalog.ts'
import type { ClockGroup } from '../edge/clock-handle.ts'
import type { Emulator, Gateway } from '../edge/handles.ts'
import { nodeTypeFiles } from '../edge/node/node-types.ts'
import { hasWorkflows } from '../edge/node/scenarios.ts'
import { type EmulatorOptions, startEmulator } from '../edge/node/server.ts'
import { secretsOf } from '../journal/known-secrets.ts'
import { completeOptions } from '../options/complete.ts'
import type { Entry } from '../machine.ts'
import type { OptionValues } from '../options/read.ts'
import type { ScenarioInput } from '../options/scenario.ts'
import type { ServerOptions, ServerOptionsInput } from '../options/server-options.ts'
import { isUsageError, usageError } from '../options/usage.ts'
import { isRefused } from '../lib/refused.ts'
import type { CommandIo } from './lib/io.ts'
import { createLateLog, type LateLog } from './late-log.ts'
import { listenMessage } from './lib/listen-errors.ts'
import { type ReadyFile, readyFile } from './lib/ready-file.ts'
import { untilAborted, untilEnded } from './lib/until-stopped.ts'
import type { WrongServer } from './lib/wrong-servers.ts'
import { addressesOf } from './serve-addresses.ts'
import type { RecordSource } from './serve-log.ts'
import { readFiles } from './lib/server-flags.ts'
import { withVariables } from './lib/variables.ts'
import { bareFlags, caFile, type Flags, readFlags, serveFlags, serveHelp } from './serve-flags.ts'
import type * as Beside from './serve-gateway.ts'
import { planServers, readConfigOf } from './serve-plan.ts'
import type { Watch } from './watch/watch.ts'

/** Runs the command with the arguments after `serve`; resolves to its exit code after all servers have stopped. */
export async function serveCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const started: RunningParts = { emulators: [], gateways: [] }
  try {
    const run = async (all: readonly string[]): Promise<number> => {
      const flags = readFlags(all)
      if (flags.help) {
        io.stdout.write(serveHelp())
        return 0
      }
      if (flags.workers !== undefined) {
        const { serveWorkers } = await import('./workers/workers.ts')
        const planned = (await planAll(flags, io)).map(optionsOf)
        return serveWorkers(flags.workers, planned, flags, io)
      }
      if (flags.run !== undefined) await requireWorkflow(io.cwd, flags.run)
      const beside = await loadGatewaySupport(flags)
      return serve(flags, io, started, beside)
    }
    return await withVariables(argv, serveFlags(), io, run, bareFlags)
  } catch (error) {
    const message = usageMessage(error)
    if (message === undefined) throw error
    io.stderr.write(`${message}\nSee: flowdouble serve --help\n`)
    return 2
  } finally {
    const { gateways, emulators, ready, input, log, watch } = started
    watch?.stop()
    input?.destroy()
    // Remove it first, so that no program finds the address of a server that is stopping.
    ready?.remove()
    await Promise.all([...gateways, ...emulators].map((one) => one.close()))
    await log?.close()
  }
}

/** Loads the code that starts the gateway, for --with-gateway. Throws a usage error for flags that require it. */
async function loadGatewaySupport(flags: Flags): Promise<typeof Beside | undefined> {
  const { withGateway, gatewayPort, configDir } = flags
  if (!withGateway && gatewayPort === undefined && configDir === undefined) return undefined
  const beside = await import('./serve-gateway.ts')
  beside.checkGatewayFlags(flags)
  return beside
}

/** The running servers and files, which must be stopped. */
type RunningParts = {
  readonly emulators: Emulator[]
  readonly gateways: Gateway[]
  ready?: ReadyFile
  watch?: Watch | undefined
  /** Standard input, which would keep the process alive. */
  input?: Readable
  log?: LateLog
}

/** Starts the servers, adds each to `started`, and resolves to the exit code when they should stop. */
async function serve(
  flags: Flags,
  given: CommandIo,
  started: RunningParts,
  beside: typeof Beside | undefined,
): Promise<number> {
  const { emulators, gateways } = started
  const run = flags.run === undefined ? undefined : await import('./serve-run.ts')
  const terminal = run?.shareTerminal(given)
  const io = terminal?.io ?? given
  const display = flags.json || flags.quiet ? undefined : await import('./serve-display.ts')
  const watch = flags.watch ? await openWatch(flags, io, (record) => log.note(record)) : undefined
  started.watch = watch
  const planned = await planAll(flags, io, watch?.onRead)
  const { plans, wrong } = await withMutant(flags, planned, io)
  if (flags.readyFile !== undefined) started.ready = await readyFile(flags.readyFile, io.cwd)
  const log = (started.log = createLateLog(flags, io))
  const clocks: ClockGroup = { members: [] }
  const found: EmulatorOptions[] = []
  for (const [at, one] of plans.entries()) {
    const plan = await withWorkflows(one, io)
    found.push(plan)
    const mark = plans.length > 1 ? plan.deployment : undefined
    const onEntry = both(
      log.reader(() => sourceOf(optionsOf(plan), mark)),
      watch?.reader(at, null),
    )
    const onWorld: EmulatorOptions['onWorld'] = (name, options) =>
      both(
        log.reader(() => sourceOf(options, mark, name)),
        watch?.reader(at, name),
      )
    // The gateway uses the clock of the first server.
    const movesOverHttp = plan.clock === 'manual'
    const laterOptions = watch && ((): ServerOptionsInput => watch.optionsOf(at))
    const hooks = { onEntry, onWorld, movesOverHttp, ...(laterOptions && { laterOptions }) }
    const own = emulators.length === 0 ? Object.assign(hooks, { clocks }) : hooks
    emulators.push(await startEmulator({ ...plan, ...own }))
  }
  watch?.start(emulators, found)
  const [first, ...others] = emulators
  if (first === undefined) return 0
  const gateway = await beside?.startBeside(
    { ...flags, wrong },
    first.options,
    plans[0]?.epoch,
    clocks,
    io,
  )
  if (gateway !== undefined) gateways.push(gateway)
  const ca = writeCa([first, ...others], flags, io)
  const addresses = { ...addressesOf([first, ...others], gateway), ...(ca !== undefined && { ca }) }
  started.ready?.write(addresses)
  if (flags.json) io.stdout.write(`${JSON.stringify(addresses)}\n`)
  if (display) {
    io.stdout.write(display.banner([first, ...others], io, gateway))
    if (ca !== undefined) io.stdout.write(trustText(ca))
  }
  if (terminal !== undefined) await run?.runOnce(first, flags, terminal)
  const stops = [untilAborted(io.signal), ...emulators.map(exitOf)]
  if (flags.stopWithStdin && io.stdin) stops.push(untilEnded((started.input = io.stdin())))
  return Promise.race(stops)
}

/** The options of each server, as flags, config file and scenarios say now. */
async function planAll(
  flags: Flags,
  io: CommandIo,
  onRead?: (path: string) => void,
): Promise<readonly EmulatorOptions[]> {
  const config = readConfigOf(flags, io)
  return planServers(flags, io, config, await scenariosOf(flags, config, io, onRead))
}

/** Prepares --watch. Throws a usage error if no scenario is named. */
async function openWatch(flags: Flags, io: CommandIo, note: LateLog['note']): Promise<Watch> {
  const scenarios = (): readonly unknown[] =>
    [flags.server['scenario'] ?? readConfigOf(flags, io).scenario ?? []].flat()
  if (scenarios().length === 0)
    throw usageError('--watch needs a scenario: name one with --scenario FILE, or in the --config.')
  const { createWatch, problemsOf, recordsOf, reportLine } = await import('./watch/watch.ts')
  return createWatch({
    io,
    markOf: (path) => fileMark(path) ?? 'unreadable',
    plan: async (onRead) => {
      const { plans } = await withMutant(flags, await planAll(flags, io, onRead), quiet(io))
      return Promise.all(plans.map((plan) => withWorkflows(plan, quiet(io))))
    },
    problems: async () => {
      const { scenario: _, ...given } = { ...readConfigOf(flags, io), ...flags.server }
      return problemsOf(scenarios(), scenarioFolder(flags, io), readFiles(given, io.cwd))
    },
    report: (report) => {
      if (flags.json) io.stdout.write(reportLine(report))
      recordsOf(report).forEach(note)
    },
  })
}

/** What was printed at the start is not printed again. */
const quiet = (io: CommandIo): CommandIo => ({ ...io, stderr: { write: () => undefined } })

type EntryReader = (entry: Entry) => void
const both =
  (one: EntryReader, other: EntryReader | undefined): EntryReader =>
  (entry) => {
    one(entry)
    other?.(entry)
  }

/** The options of a server; what makes it wrong is not one. */
const optionsOf = ({ tamper: _, ...options }: EmulatorOptions): ServerOptions =>
  completeOptions(options)

/** What the log needs to know about a server, or about a world of it. */
function sourceOf(
  options: ServerOptions,
  server: Deployment | undefined,
  world?: string,
): RecordSource {
  let isKnown: RecordSource['isKnownType'] | undefined
  return {
    server,
    world,
    deployment: options.deployment,
    generation: generationLike(options.like),
    secrets: secretsOf(options),
    isKnownType: (class_type) => (isKnown ??= typeFinder(options))(class_type),
  }
}

/** Finds out which node types a server has. Its files can be gone since the start: then any type counts as known. */
function typeFinder(options: ServerOptions): RecordSource['isKnownType'] {
  try {
    const known = new Set(knownTypes(readCatalog(options, nodeTypeFiles)))
    return (class_type) => known.has(class_type)
  } catch (error) {
    if (!isUsageError(error)) throw error
    return () => true
  }
}

/** A plan with what the workflows of --for need. Prints what was guessed, and what cannot run. */
async function withWorkflows(plan: EmulatorOptions, io: CommandIo): Promise<EmulatorOptions> {
  if (!hasWorkflows(plan)) return plan
  const { worldForWorkflows } = await import('../edge/node/for-workflows.ts')
  const { options, findings } = await worldForWorkflows(plan)
  const { findingsText } = await import('./types.ts')
  io.stderr.write(findingsText(findings))
  return options
}

/** The plans with the fault of --mutant, which is printed; `wrong` also makes a gateway wrong. */
async function withMutant(
  { mutant, withGateway }: Flags,
  plans: readonly EmulatorOptions[],
  io: CommandIo,
): Promise<{ readonly plans: readonly EmulatorOptions[]; readonly wrong?: WrongServer }> {
  if (mutant === undefined) return { plans }
  const { faultLine, findWrongServer, withFault } = await import('./lib/wrong-servers.ts')
  const wrong = findWrongServer(mutant)
  const faulty = withFault(plans, wrong, withGateway)
  io.stderr.write(faultLine(wrong))
  return { plans: faulty, wrong }
}

/** The scenarios of the flags, else of the config file, whose paths begin at its folder. */
async function scenariosOf(
  flags: Flags,
  { scenario: configured }: OptionValues,
  io: CommandIo,
  onRead?: (path: string) => void,
): Promise<readonly ScenarioInput[]> {
  const { scenario = configured } = flags.server
  if (scenario === undefined) return []
  // The config file may name others later.
  if (scenario === configured) onRead?.(resolve(io.cwd, flags.config ?? ''))
  const { loadScenarios } = await import('../config/scenario-files.ts')
  return loadScenarios(scenario, scenarioFolder(flags, io), onRead)
}

/** Where the paths of scenarios begin. */
const scenarioFolder = ({ server, config }: Flags, { cwd }: CommandIo): string =>
  server['scenario'] === undefined ? dirname(resolve(cwd, config ?? '')) : cwd

/** Resolves to the exit code when a fault ends a server, unless there are other worlds at its port [faults/exit-command]. */
async function exitOf(emulator: Emulator): Promise<number> {
  const code = await emulator.exited()
  return emulator.worlds().length === 0 ? code : new Promise(() => undefined)
}

/** Throws a usage error for a file that is not a workflow, before anything listens. */
async function requireWorkflow(cwd: string, name: string): Promise<void> {
  const { readWorkflow, workflowPath } = await import('../client/workflow.ts')
  await readWorkflow(workflowPath(cwd, name)).catch((error: unknown) => {
    throw usageError(`--run: ${(error as Error).message}`)
  })
}

/**
 * Writes the CA certificates that clients must trust (both, with two servers) and returns the path of the file.
 * Returns undefined if --tls auto is off.
 */
function writeCa(
  emulators: readonly Emulator[],
  { tlsCa, run }: Flags,
  io: CommandIo,
): string | undefined {
  const all = emulators.flatMap(({ ca }) => ca ?? [])
  if (all.length === 0) {
    if (tlsCa !== undefined) throw usageError('--tls-ca requires --tls auto.')
    return undefined
  }
  // A process reads its trusted certificates when it starts.
  if (run !== undefined)
    throw usageError(
      '--run does not trust the certificate of --tls auto: start flowdouble run separately.',
    )
  const path = resolve(io.cwd, tlsCa ?? caFile)
  try {
    writeFileSync(path, all.join(''))
  } catch (error) {
    throw usageError(`Cannot write the --tls-ca file: ${(error as Error).message}`)
  }
  return path
}

const trustText = (ca: string): string =>
  `  Clients must trust ${ca}\n  (NODE_EXTRA_CA_CERTS=FILE, SSL_CERT_FILE=FILE, curl --cacert FILE).\n\n`

/** The message of an error that the user can fix, or undefined. */
function usageMessage(error: unknown): string | undefined {
  if (isUsageError(error) || isRefused(error)) return error.message
  const message = listenMessage(error)
  if (message !== undefined) return message
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
    ? error.message
    : undefined
}
