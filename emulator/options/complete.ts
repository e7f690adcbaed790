// Completes the options of a server that a caller gives, and makes from them what a world is made from.

import type { Deployment } from '../../spec/language.ts'
import { limits } from '../../spec/limits.ts'
import { nearest } from '../lib/nearest.ts'
import type { QuirkId } from '../../spec/truth/quirks.ts'
import type { WorldOptions } from '../server/state/options.ts'
import { quirksLike, serverLike } from './like.ts'
import { type Given, readOptions, readValue, type Where } from './read.ts'
import { defaults, epochFor, type OptionName, type ServerOptions } from './server-options.ts'
import { isFor, optionTable, quirkIds, quirksOf } from './table.ts'
import { usageError } from './usage.ts'

/**
 * Completes options given by a caller with the defaults, those of the known server first where one is named.
 * Throws a usage error for an unknown name, an unusable value, and one that would do nothing on this server.
 */
export function completeOptions(
  given: Given,
  where: Where = (name) => `option ${name}`,
): ServerOptions {
  const read: Partial<ServerOptions> = readOptions(optionTable, withKnownLike(given, where), where)
  const { deployment = defaults.deployment, quirk = [], noQuirk = [] } = read
  const server = serverLike(read.like, deployment, where('like'))
  requireUse(read, deployment, where)
  requireKnownQuirks(deployment, quirk, where('quirk'))
  requireKnownQuirks(deployment, noQuirk, where('noQuirk'))
  const both = quirk.find((id) => noQuirk.includes(id))
  if (both !== undefined) throw usageError(`The quirk ${both} is switched on and off: choose one.`)
  const completed = {
    ...defaults,
    epoch: epochFor(read.clock ?? defaults.clock),
    ...server?.options,
    ...read,
    quirk: quirksLike(server, quirk, noQuirk),
  }
  requireKnownUsers(completed, where('failures'))
  return completed
}

/** A server that is unknown, or known at another place, is named as such before its option is read. */
function withKnownLike(given: Given, where: Where): Given {
  const { like, deployment } = given
  if (typeof like === 'string')
    serverLike(like, deployment === 'hosted' ? 'hosted' : 'local', where('like'))
  return given
}

/** An option of the other deployment would do nothing, and nobody would notice. What holds anyway can be said. */
function requireUse(read: Partial<ServerOptions>, deployment: Deployment, where: Where): void {
  const isUsual = (name: OptionName): boolean =>
    JSON.stringify(read[name]) ===
    JSON.stringify(readValue(optionTable[name], defaults[name], name))
  const foreign = optionNames.find(
    (name) => Object.hasOwn(read, name) && !isFor(name, deployment) && !isUsual(name),
  )
  if (foreign === undefined) return
  const other = optionTable[foreign].on
  throw usageError(`${where(foreign)} is for ${other} servers, and this one is ${deployment}.`)
}

/** A quirk of the other deployment would do nothing, and nobody would notice. */
function requireKnownQuirks(deployment: Deployment, quirk: readonly string[], where: string): void {
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
  const users = accounts.map(({ user }) => user)
  const at = failures.findIndex(({ user }) => user !== undefined && !users.includes(user))
  const meant = nearest(failures[at]?.user ?? '', users)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  if (at >= 0)
    throw usageError(`${where} cannot be used: failure ${at + 1} is of no known user${hint}.`)
}

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
  like: options.like,
  accounts: options.deployment === 'hosted' ? options.accounts : [],
  failures: options.failures,
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
  uploadLimitBytes: limits.uploads.value,
  pendingLimitBytes: limits.pending.value,
  maxBody: options.maxUploadSize,
  cors: options.cors,
  token: options.token,
  manager: options.manager,
  signedLinks:
    linksPort === null
      ? null
      : {
          scheme: options.tlsCert === null && options.tls === null ? 'http' : 'https',
          port: linksPort,
          baseUrl: options.signedBaseUrl,
          strict: options.strictSignedLinks,
        },
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
