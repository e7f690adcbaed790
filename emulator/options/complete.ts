// The options of a server: what they are, what they are by default, and how those of a caller are completed.

import type { Deployment } from '../../spec/language.ts'
import { limits } from '../../spec/limits.ts'
import { defaultAccounts } from './accounts.ts'
import { isFor, type OptionEntry, optionTable, quirkIds, quirksOf } from './table.ts'
import type { WorldOptions } from '../server/state/options.ts'
import type { Clock, OptionName, ServerOptions } from './server-options.ts'

/** Wrong use of the command line or of this package: the message says what to do instead. */
export const usageError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'USAGE' })

export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'USAGE'

/** The moment at which worlds start whose time does not pass by itself: 2026-01-01, 00:00 UTC. */
const FIXED_EPOCH_MS = 1767225600000

export const defaults: ServerOptions = {
  deployment: 'local',
  accounts: defaultAccounts,
  failures: [],
  port: 8188,
  host: '127.0.0.1',
  seed: '0',
  clock: 'real',
  pace: 5,
  preview: 'jpeg',
  objectInfo: null,
  models: 'listed',
  unknownNodes: 'refuse',
  journal: null,
  overwrite: false,
  quirk: [],
  cors: null,
  token: null,
  controlToken: null,
  maxBody: null,
  wsCompress: false,
  manager: false,
  epoch: 'now',
  signedBaseUrl: null,
  strictSignedLinks: false,
  tlsCert: null,
  tlsKey: null,
}

const epochFor = (clock: Clock): ServerOptions['epoch'] =>
  clock === 'manual' || clock === 'instant' ? FIXED_EPOCH_MS : 'now'

type Given = Readonly<Record<string, unknown>>
/** In which words an option was given. */
type Where = (name: string) => string

/**
 * Completes options given by a caller with the defaults.
 * Throws a usage error for an unknown name, an unusable value, and one that would do nothing on this server.
 */
export function completeOptions(
  given: Given,
  where: Where = (name) => `option ${name}`,
): ServerOptions {
  const read = readOptions(given, where)
  const { clock = defaults.clock, epoch = epochFor(clock) } = read
  const completed = { ...defaults, ...read, epoch }
  requireUse(read, completed.deployment, where)
  requireKnownQuirks(completed, where('quirk'))
  requireKnownUsers(completed, where('failures'))
  return completed
}

/** Reads each of the options by itself. Throws a usage error for an unknown name or an unusable value. */
export function readOptions(given: Given, where: Where): Partial<ServerOptions> {
  const options: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!isOptionName(name)) throw usageError(`There is no ${where(name)}. Known: ${knownNames()}.`)
    options[name] = readValue(name, value, where(name))
  }
  return options
}

/** An option of the other deployment would do nothing, and nobody would notice. What holds anyway can be said. */
function requireUse(read: Partial<ServerOptions>, deployment: Deployment, where: Where): void {
  const isUsual = (name: OptionName): boolean =>
    JSON.stringify(read[name]) === JSON.stringify(readValue(name, defaults[name], name))
  const foreign = optionNames.find(
    (name) => Object.hasOwn(read, name) && !isFor(name, deployment) && !isUsual(name),
  )
  if (foreign === undefined) return
  const other = optionTable[foreign].on
  throw usageError(`${where(foreign)} is for ${other} servers, and this one is ${deployment}.`)
}

/** A quirk of the other deployment would do nothing, and nobody would notice. */
function requireKnownQuirks({ deployment, quirk }: ServerOptions, where: string): void {
  const known = quirksOf(deployment)
  const unknown = quirk.find((id) => !known.includes(id))
  if (unknown === undefined) return
  const list = known.join('\n  ')
  throw usageError(
    `${where} cannot be "${unknown}" on ${deployment}. Quirks of this deployment:\n  ${list}`,
  )
}

/** A failure of somebody who has no account would never come, and nobody would notice. */
function requireKnownUsers({ deployment, accounts, failures }: ServerOptions, where: string): void {
  if (deployment === 'local') return
  const users = new Set(accounts.map(({ user }) => user))
  const at = failures.findIndex(({ user }) => user !== undefined && !users.has(user))
  if (at >= 0) throw usageError(`${where} cannot be used: failure ${at + 1} is of no known user.`)
}

/** Time between the answer to a submit and the first message of its run, in milliseconds. */
const START_DELAY_MS = 25

/**
 * What a server is made from. `objectInfo` is the text of the catalogue, `wallMs` the time that an epoch of now means,
 * `linksPort` where its signed links are answered, if it has such.
 */
export const worldOptions = (
  options: ServerOptions,
  objectInfo: string,
  wallMs: number,
  linksPort: number | null,
): WorldOptions => ({
  deployment: options.deployment,
  accounts: options.deployment === 'hosted' ? options.accounts : [],
  failures: options.failures,
  seed: options.seed,
  epochMs: options.epoch === 'now' ? wallMs : options.epoch,
  paceMs: options.pace,
  startDelayMs: START_DELAY_MS,
  preview: options.preview,
  objectInfo,
  models: options.models,
  unknownNodes: options.unknownNodes,
  quirks: options.quirk,
  historyLimit: limits.history.value,
  fileLimit: 10_000,
  uploadLimitBytes: limits.uploads.value,
  pendingLimitBytes: limits.pending.value,
  maxBody: options.maxBody,
  cors: options.cors,
  token: options.token,
  manager: options.manager,
  signedLinks:
    linksPort === null
      ? null
      : {
          scheme: options.tlsCert === null ? 'http' : 'https',
          port: linksPort,
          baseUrl: options.signedBaseUrl,
          strict: options.strictSignedLinks,
        },
})

const optionNames = Object.keys(optionTable) as OptionName[]
const knownNames = (): string => optionNames.join(', ')
export const isOptionName = (name: string): name is OptionName => Object.hasOwn(optionTable, name)

function readValue(name: OptionName, value: unknown, where: string): unknown {
  const entry = optionTable[name]
  if (entry.readWhole !== undefined) {
    const read = entry.readWhole(value)
    if (typeof read === 'string') throw usageError(`${where} cannot be used: ${read}.`)
    return read
  }
  if (value === null && defaults[name] === null) return null
  if (entry.many) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.map((item) => readOne(entry, item, where))
  }
  return readOne(entry, value, where)
}

function readOne(entry: OptionEntry, value: unknown, where: string): unknown {
  const scalar =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  const read = scalar ? entry.read(`${value}`) : undefined
  if (read !== undefined) return read
  const text = scalar ? `"${value}"` : JSON.stringify(value)
  const shown = entry.secret ? 'that' : text
  const known = entry.flag === 'quirk' ? `\nKnown quirks:\n  ${quirkIds.join('\n  ')}` : ''
  throw usageError(`${where} cannot be ${shown}: ${entry.help}.${known}`)
}

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
