// Decides which servers `serve` starts, and with which options. Flags override the config file.

import { dirname, extname, resolve } from 'node:path'
import { profiles } from '../../spec/server/deployments.ts'
import type { Deployment } from '../../spec/language.ts'
import type { EmulatorOptions } from '../edge/node/server.ts'
import { completeOptions, isOptionName } from '../options/complete.ts'
import { mergeScenarios, type ScenarioInput } from '../options/scenario.ts'
import { serverLike, serversOn } from '../options/like.ts'
import { type OptionValues, readOptions } from '../options/read.ts'
import { flagOf, isFor, optionTable, quirksOf } from '../options/table.ts'
import { usageError } from '../options/usage.ts'
import type { CommandIo } from './lib/io.ts'
import { readFiles, readJson, resolved } from './lib/server-flags.ts'
import type { Flags } from './serve-flags.ts'

type ServerChoice = Deployment | 'both'

/** Options, and how an error message names each of them. */
type OptionSource = { readonly given: OptionValues; readonly where: (name: string) => string }

/** A single hosted server leaves port 8188 to a local one. */
const HOSTED_PORT = profiles.local.port + 1

/** The options in the config file of the flags; none without one. Throws a usage error if it cannot be read. */
export const readConfigOf = ({ config }: Flags, { cwd }: CommandIo): OptionValues =>
  config === undefined ? {} : readConfig(resolve(cwd, config))

/**
 * The options of each server to start: one server, or for `both` a local and a hosted one.
 * Throws a usage error that names the invalid flag or member of the config file.
 * @param config the options of the config file.
 * @param scenarios what the flags or the config file name, with the content of their files.
 */
export function planServers(
  flags: Flags,
  io: CommandIo,
  config = readConfigOf(flags, io),
  scenarios: readonly ScenarioInput[] = [],
): readonly EmulatorOptions[] {
  // Their options of the server are among those of the config file.
  const scripts = scenarios.map(({ world: _world, ...rest }) => rest)
  const { like, scenario: _, ...ownFlags } = flags.server
  const { scenario: __, ...ownConfig } = config
  const script: OptionSource = {
    given: mergeScenarios(scenarios).world as OptionValues,
    where: (name) => `option "${name}" of the scenario`,
  }
  const file: OptionSource = {
    given: { ...script.given, ...ownConfig },
    where: (name) =>
      name in ownConfig ? `option "${name}" of ${flags.config}` : script.where(name),
  }
  const line: OptionSource = {
    given: readFiles(ownFlags, io.cwd),
    where: flagOf,
  }
  const which = chosenServers(line) ?? chosenServers(file) ?? 'local'
  const targets: readonly Deployment[] = which === 'both' ? ['local', 'hosted'] : [which]
  // Includes options that neither server uses, so that an error names their source.
  for (const { given, where } of [file, line]) {
    const { deployment: _, like: __, ...rest } = given
    readOptions(optionTable, rest, where)
  }
  const likes = [like ?? file.given['like'] ?? []].flat()
  requireAddresses(likes, targets, flags.withGateway)
  const flagged = { ...tokenFrom(flags, io), ...line.given, ...(like && { like }) }
  requireUse(flagged, targets)
  const merged = { ...file.given, ...flagged, ...(scenarios.length > 0 && { scenario: scripts }) }
  const first = firstPort(merged, which)
  return targets.map((target, index) => {
    const port = first === 0 ? 0 : first + index
    const own = likes.find((name) => serversOn(target).some((known) => known === name))
    const given = forTarget({ ...merged, port, like: own ?? null }, target, which)
    completeOptions(given, (name) => (name in flagged ? line : file).where(name))
    return given
  })
}

/** A config file can be shared between servers; a flag that applies to no server is an error. */
function requireUse(given: OptionValues, targets: readonly Deployment[]): void {
  for (const name of Object.keys(given)) {
    if (!isOptionName(name) || targets.some((target) => isFor(name, target))) continue
    const { on, flag } = optionTable[name]
    throw usageError(
      `--${flag} applies to ${on} servers only: use it with --deployment ${on} or both.`,
    )
  }
}

/** Throws a usage error unless each --like applies to a server that starts. */
function requireAddresses(
  likes: readonly unknown[],
  targets: readonly Deployment[],
  withGateway: boolean,
): void {
  const places = [...targets, ...(withGateway ? (['gateway'] as const) : [])]
  const [first = 'local'] = targets
  for (const name of likes) {
    const isUsed = serversOn(...places).some((known) => known === name)
    if (isUsed) continue
    if (typeof name === 'string') serverLike(name, first, '--like', places)
    else completeOptions({ like: name, deployment: first }, () => '--like')
  }
  const twice = places.find(
    (place) => likes.filter((name) => serversOn(place).some((known) => known === name)).length > 1,
  )
  if (twice !== undefined) throw usageError(`--like: name only one server for ${twice}.`)
}

/** The member `deployment` of a source; undefined without one. */
function chosenServers({ given, where }: OptionSource): ServerChoice | undefined {
  const { deployment } = given
  if (deployment === undefined || deployment === 'both') return deployment
  return completeOptions({ deployment }, where).deployment
}

/** The options for one server: those that apply to it. Two servers get separate quirks and journals. */
function forTarget(given: OptionValues, deployment: Deployment, which: ServerChoice): OptionValues {
  const own = Object.fromEntries(
    Object.entries(given).filter(([name]) => isOptionName(name) && isFor(name, deployment)),
  )
  if (which !== 'both') return { ...own, deployment }
  const { quirk, noQuirk, journal } = given
  const other = deployment === 'local' ? 'hosted' : 'local'
  const isOthers = (id: unknown): boolean =>
    typeof id === 'string' && quirksOf(other).includes(id) && !quirksOf(deployment).includes(id)
  return {
    ...own,
    deployment,
    ...(quirk !== undefined && { quirk: [quirk].flat().filter((id) => !isOthers(id)) }),
    ...(noQuirk !== undefined && { noQuirk: [noQuirk].flat().filter((id) => !isOthers(id)) }),
    ...(typeof journal === 'string' && { journal: journalOf(journal, deployment) }),
  }
}

/** `run.jsonl` becomes `run.local.jsonl` and `run.hosted.jsonl`. */
function journalOf(file: string, deployment: Deployment): string {
  const ending = extname(file)
  return `${file.slice(0, file.length - ending.length)}.${deployment}${ending}`
}

/** The first port. A hosted server uses the port after its own for signed links. */
function firstPort(merged: OptionValues, which: ServerChoice): number {
  const { port } = merged
  if (port === undefined) return which === 'hosted' ? HOSTED_PORT : profiles.local.port
  const first = completeOptions({ port }).port
  const count = which === 'both' ? 3 : which === 'hosted' ? 2 : 1
  if (first + count - 1 <= 65535) return first
  throw usageError(
    `--deployment ${which} uses ${count} ports in a row: choose a port up to ${65_536 - count}, not ${first}.`,
  )
}

function tokenFrom({ tokenEnv }: Flags, { env }: CommandIo): { readonly token?: string } {
  if (tokenEnv === undefined) return {}
  const token = env[tokenEnv]
  if (!token) throw usageError(`The environment variable ${tokenEnv} (--token-env) is not set.`)
  return { token }
}

/** The options of a config file. Paths in it are relative to it. */
function readConfig(path: string): OptionValues {
  const config = readJson(path, 'the config')
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw usageError(`The config ${path} is not a JSON object.`)
  }
  const { $schema: _, ...options } = config as Record<string, unknown>
  for (const [name, { isPath }] of Object.entries(optionTable))
    if (isPath && name in options) options[name] = resolved(options[name], dirname(path))
  return options
}
