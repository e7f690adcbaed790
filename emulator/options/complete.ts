// Completes the options of a server with defaults, and derives the options of its world.

import type { Deployment } from '../../spec/language.ts'
import { holdsIn } from '../../spec/generations.ts'
import { limits } from '../../spec/limits.ts'
import { endpoints as assetEndpoints } from '../../spec/assets/assets.ts'
import { generationLike } from '../../spec/truth/servers.ts'
import { nearest } from '../lib/nearest.ts'
import type { QuirkId } from '../../spec/truth/quirks.ts'
import type { Script } from '../../spec/scenario/scenario.ts'
import type { Violation } from './json-schema.ts'
import { noScenario, type Scenario } from './scenario.ts'
import type { WorldOptions } from '../server/state/options.ts'
import { requireNone, userViolations } from './scenario-checks.ts'
import { quirksLike, serverLike } from './like.ts'
import { type OptionValues, readOptions, readValue, type OptionLabel } from './read.ts'
import { publicPathOf, sharedDefaults } from './shared-table.ts'
import { defaults, epochFor, type OptionName, type ServerOptions } from './server-options.ts'
import { isFor, optionTable, quirkIds, quirksOf } from './table.ts'
import { usageError } from './usage.ts'
import type { TypeTexts } from '../server/state/nodes.ts'

/**
 * Completes options with the defaults, first those of the known server that `like` names.
 * Throws a usage error for an unknown name, an invalid value, and an option that has no effect on this server.
 */
export function completeOptions(
  given: OptionValues,
  where: OptionLabel = (name) => `option ${name}`,
): ServerOptions {
  const completed = completeValues(given, where)
  requireKnownUsers(completed, where('failures'))
  requireNone(scenarioUsers(completed), 'The scenario')
  return completed
}

/** What in the scenario of a server names an unknown account. A local server has no accounts. */
export const scenarioUsers = ({
  deployment,
  accounts,
  scenario,
}: ServerOptions): readonly Violation[] =>
  deployment === 'local'
    ? []
    : userViolations(
        scenario,
        accounts.map(({ user }) => user),
      )

/** The same without a check of the accounts that rules name. */
export function completeValues(given: OptionValues, where: OptionLabel): ServerOptions {
  const { world } = scenarioOf(given, where)
  const read: Partial<ServerOptions> = readOptions(
    optionTable,
    withKnownLike({ ...world, ...given }, where),
    where,
  )
  const { deployment = defaults.deployment, quirk = [], noQuirk = [] } = read
  const server = serverLike(read.like, deployment, where('like'))
  requireUse(read, deployment, where)
  requireGeneration(read, where)
  if (read.values === true && (read.for ?? []).length === 0)
    throw usageError(`${where('values')} requires workflows, which the option for names.`)
  requireKnownQuirks(deployment, quirk, where('quirk'))
  requireKnownQuirks(deployment, noQuirk, where('noQuirk'))
  const both = quirk.find((id) => noQuirk.includes(id))
  if (both !== undefined) throw usageError(`The quirk ${both} is both on and off: choose one.`)
  const completed: ServerOptions = {
    ...defaults,
    epoch: epochFor(read.clock ?? defaults.clock),
    ...server?.options,
    ...(read.shared === true && sharedDefaults),
    ...read,
    quirk: quirksLike(server, quirk, noQuirk),
  }
  if (completed.worldTokens && completed.controlToken === null)
    throw usageError(
      `${where(read.shared === true ? 'shared' : 'worldTokens')} requires a control token, with which worlds are created: --control-token, or the option controlToken.`,
    )
  if (completed.publicUrl !== null && deployment === 'hosted' && completed.signedBaseUrl === null)
    throw usageError(
      `${where('publicUrl')} requires the address at which clients reach signed links, on a hosted server: --signed-base-url, or the option signedBaseUrl.`,
    )
  return completed
}

/** The scenario of a caller. Its `world` has options of the server, which the caller can override. */
const scenarioOf = ({ scenario }: OptionValues, where: OptionLabel): Scenario =>
  scenario === undefined
    ? noScenario
    : (readValue(optionTable.scenario, scenario, where('scenario')) as Scenario)

/** Checks `like` first, so that an unknown server is reported before any other option. */
function withKnownLike(given: OptionValues, where: OptionLabel): OptionValues {
  const { like, deployment } = given
  if (typeof like === 'string')
    serverLike(like, deployment === 'hosted' ? 'hosted' : 'local', where('like'))
  return given
}

/** Rejects options of the other deployment, which would silently do nothing, unless they have their default value. */
function requireUse(
  read: Partial<ServerOptions>,
  deployment: Deployment,
  where: OptionLabel,
): void {
  const isDefault = (name: OptionName): boolean =>
    JSON.stringify(read[name]) ===
    JSON.stringify(readValue(optionTable[name], defaults[name], name))
  const foreign = optionNames.find(
    (name) => Object.hasOwn(read, name) && !isFor(name, deployment) && !isDefault(name),
  )
  if (foreign === undefined) return
  const other = optionTable[foreign].on
  throw usageError(
    `${where(foreign)} applies to ${other} servers only, and this server is ${deployment}.`,
  )
}

/** Rejects options of later generations on a server of an earlier one, which would silently do nothing. */
function requireGeneration(read: Partial<ServerOptions>, where: OptionLabel): void {
  if (holdsIn(generationLike(read.like ?? null), assetEndpoints.listAssets)) return
  const asked = (['assets', 'assetHashing', 'featureFlag'] as const).find((name) => {
    const value = read[name] ?? false
    return typeof value === 'boolean' ? value : value.length > 0
  })
  if (asked !== undefined)
    throw usageError(`${where(asked)} requires a server of 2026, such as --like comfyui-0.27.`)
}

/** Rejects quirks of the other deployment, which would silently do nothing. */
function requireKnownQuirks(deployment: Deployment, quirk: readonly string[], where: string): void {
  const known = quirksOf(deployment)
  const unknown = quirk.find((id) => !known.includes(id))
  if (unknown === undefined) return
  const list = known.join('\n  ')
  throw usageError(
    `${where} cannot be "${unknown}" on ${deployment}. Quirks of this deployment:\n  ${list}`,
  )
}

/** Rejects a failure for an unknown account, which would never apply. */
function requireKnownUsers({ deployment, accounts, failures }: ServerOptions, where: string): void {
  if (deployment === 'local') return
  const users = accounts.map(({ user }) => user)
  const at = failures.findIndex(({ user }) => user !== undefined && !users.includes(user))
  const meant = nearest(failures[at]?.user ?? '', users)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  if (at >= 0)
    throw usageError(`${where} cannot be used: failure ${at + 1} names an unknown user${hint}.`)
}

/**
 * The options of a world. `objectInfo` returns the node types, `wallMs` the time for an epoch of `now`,
 * `linksPort` the port of the signed links, if any, `scripts` the paths of the scripts of its front end.
 */
export const worldOptions = (
  options: ServerOptions,
  objectInfo: () => TypeTexts,
  wallMs: number,
  linksPort: number | null,
  scripts: readonly string[] = [],
): WorldOptions => ({
  deployment: options.deployment,
  like: options.like,
  accounts: options.deployment === 'hosted' ? options.accounts : [],
  seed: options.seed,
  epochMs: options.epoch === 'now' ? wallMs : options.epoch,
  paceMs: options.pace,
  startDelayMs: options.startDelayMs,
  preview: options.preview,
  cache: options.cache,
  objectInfo,
  models: options.models,
  unknownNodes: options.unknownNodes,
  quirks: options.quirk.filter(isQuirkId),
  historyLimit: limits.history.value,
  fileLimit: 10_000,
  uploadLimitBytes: Math.floor(options.worldMib * 2 ** 20),
  pendingLimitBytes: Math.floor(options.worldMib * 2 ** 20),
  pendingLimit: options.worldRuns,
  maxBody: options.maxUploadSize,
  cors: options.cors,
  token: options.token,
  manager: options.manager,
  scripts,
  assets: options.assets,
  assetHashing: options.assetHashing,
  featureFlag: options.featureFlag,
  script: scriptOf(options),
  signedLinks:
    linksPort === null
      ? null
      : {
          scheme: options.tlsCert === null && options.tls === null ? 'http' : 'https',
          port: linksPort,
          baseUrl: options.signedBaseUrl,
          strict: options.strictSignedLinks,
          ...(publicPathOf(options) !== '' && { publicPath: publicPathOf(options) }),
        },
})

/** The option `failures` is the first of the node rules. */
const scriptOf = ({
  failures,
  scenario: { start, runs, nodes, faults, answers, messages, models, modelTypes },
}: ServerOptions): Script => ({
  start,
  runs,
  nodes: [...failures, ...nodes],
  faults,
  answers,
  messages,
  models,
  modelTypes,
})

const isQuirkId = (id: string): id is QuirkId => quirkIds.includes(id)

const optionNames = Object.keys(optionTable) as OptionName[]
export const isOptionName = (name: string): name is OptionName => Object.hasOwn(optionTable, name)

/** The JSON Schema of the config file. */
export const configSchema = (): unknown => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of flowdouble serve',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    ...Object.fromEntries(
      Object.entries(optionTable).map(([name, { help, schema }]) => [
        name,
        { description: help, ...schema },
      ]),
    ),
  },
})
