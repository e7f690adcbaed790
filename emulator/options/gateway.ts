// The options of a gateway: their types, defaults and checks, and the options of its state.

import { limits } from '../../spec/limits.ts'
import { platforms } from '../../spec/gateway/deliveries.ts'
import { webhookRoute } from '../../spec/gateway/subscriptions.ts'
import { gatewayAddress } from '../../spec/gateway/address.ts'
import { isLoopback } from '../lib/loopback.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'
import type { AgentRun, Delivery } from '../gateway/state/run.ts'
import type { GatewayStateOptions } from '../gateway/state/state.ts'
import { type AgentScript, plainScript } from '../gateway/state/scripted-agent.ts'
import type { OwnSchemes } from '../gateway/post/schemes.ts'
import { schemesFault } from './gateway-schemes.ts'
import { isPlainObject } from './json-schema.ts'
import { quirksLike, serverLike, serversOn } from './like.ts'
import { noScenario, type Scenario, type GivenScenario } from './scenario.ts'
import { type OptionTable, readOptions } from './read.ts'
import type { Clock } from './server-options.ts'
import { optionTable, quirksOf } from './table.ts'
import { usageError } from './usage.ts'

/** A route in the form of the subscriptions file and config.yaml. */
export type RouteInput = Readonly<Record<string, unknown>>
export type RoutesInput = Readonly<Record<string, RouteInput>>

/**
 * Answers agent runs instead of the scripted agent. The signal aborts when the run times out. An agent that starts a
 * process reports its id, so that a later gateway can end it.
 */
export type Agent = (
  run: AgentRun,
  signal: AbortSignal,
  began?: (pid: number) => void,
) => PromiseLike<string>
/**
 * Sends deliveries instead of recording them in the outbox. Rejects if one fails; the message must not contain a
 * credential. A `status` and `retryAfterMs` of the error decide about retries.
 */
export type Deliveries = {
  (delivery: Delivery, signal: AbortSignal): PromiseLike<void>
  /** Whether whoever gets them knows a repeat by its key: then one that timed out is repeated. */
  readonly isKeyed?: boolean
  /** Whether a text has to be in parts that its platform takes. */
  readonly isSplit?: boolean
}

/** The complete options of a gateway. */
export type CompleteGatewayOptions = {
  /** Address to listen on. */
  readonly host: string
  /** TCP port; 0 picks a free one. */
  readonly port: number
  /** The known gateway to behave like; null to follow the documentation. */
  readonly like: string | null
  /** The secret for routes without a secret. */
  readonly secret: string | null
  /** Static routes, which take precedence over subscriptions. */
  readonly routes: RoutesInput
  /** File with the subscriptions, checked on each request; null keeps them in memory. */
  readonly subscriptionsFile: string | null
  /** Initial subscriptions, if they are kept in memory. Each must be valid. */
  readonly subscriptions: RoutesInput
  /** Further schemes of signatures, which routes can name. */
  readonly schemes: OwnSchemes
  /** The public base URL, for schemes that sign the address of a post; null if senders use this address. */
  readonly baseUrl: string | null
  /** Posts to one route per 60 seconds. */
  readonly rateLimit: number
  readonly maxBodyBytes: number
  readonly clock: Clock
  /** Start of the gateway's time: milliseconds since 1970, or `now` (the default on every clock). */
  readonly epoch: number | 'now'
  /** Seed of the ids that the gateway generates. */
  readonly seed: string
  /** Whether each reply has a header with the ids of the rules behind it. */
  readonly explain: boolean
  /** Ids of quirks to switch on. */
  readonly quirk: readonly string[]
  /** Ids of quirks to switch off, although the known gateway has them. */
  readonly noQuirk: readonly string[]
  /** A script for the built-in agent, or another agent. */
  readonly agent: Partial<AgentScript> | Agent
  /** A scenario, of which a gateway uses the part `gateway`: agent answers, deliveries, rate limits. */
  readonly scenario: Scenario
  /** How many runs another agent may handle at the same time; further runs wait. */
  readonly agentsAtOnce: number
  /** Time limit for a run of another agent, in milliseconds of the gateway's time. */
  readonly agentTimeOutMs: number
  /** Sends deliveries; null records them in the outbox. */
  readonly deliveries: Deliveries | null
  /** The chats for routes that do not name one, by platform. */
  readonly homeChannels: Readonly<Record<string, string>>
  /** The connected platforms; deliveries to others fail. Null: all that have a chat or a home channel. */
  readonly connected: readonly string[] | null
  /**
   * Whether the gateway serves the paths below /_flowdouble/, to clients on this machine and to those with the control
   * token. By default it does if it listens on loopback, or if its clock is manual or instant.
   */
  readonly control: boolean
  /** The bearer token for these paths from other machines; null rejects them. */
  readonly controlToken: string | null
  /**
   * What keeps accepted posts when the process ends: the path of a SQLite file, or the URL of a PostgreSQL database
   * (postgres://...), which several gateways can share. Null: nothing.
   */
  readonly store: string | null
  /** How long runs that have ended stay in the store, in days. */
  readonly keepDays: number
  /** The largest size of a store in a file, in MiB. */
  readonly storeMib: number
  /** After how long a silent gateway counts as dead for the others on its database, in milliseconds. */
  readonly leaseMs: number
}

/** Options that a caller passes. Each has a default. */
export type GatewayOptionsInput = Partial<Omit<CompleteGatewayOptions, 'scenario'>> & {
  /** A file, the name of a scenario of the package, or its content; several are merged in order. */
  readonly scenario?: string | GivenScenario | readonly (string | GivenScenario)[]
}

/** A whole number of at least `least`. */
const count = (least: number) =>
  ({ type: 'integer', minimum: least, maximum: Number.MAX_SAFE_INTEGER }) as const

/** An option that only a program can pass: a check that returns what is wrong. */
const whole =
  (fault: (value: unknown) => string | undefined) =>
  (value: unknown): object | string =>
    fault(value) ?? (value as object)

const readRoutes = whole((value) => {
  if (!isPlainObject(value)) return 'pass an object of routes by name'
  for (const [name, route] of Object.entries(value)) {
    const fault = isPlainObject(route) ? unknownMember(route, routeMembers) : undefined
    if (fault !== undefined) return `the route "${name}" ${fault}`
  }
})

const routeMembers = Object.keys(webhookRoute.properties)

/** Describes an unknown member of an object; never contains a value. */
function unknownMember(given: object, known: readonly string[]): string | undefined {
  const name = Object.keys(given).find((one) => !known.includes(one))
  if (name === undefined) return undefined
  const meant = nearest(name, known)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return `has a member other than ${known.join(', ')}${hint}`
}

const readAgent = whole((value) => {
  if (typeof value === 'function') return undefined
  if (!isPlainObject(value)) return 'pass a script or a function'
  const fault = unknownMember(value, Object.keys(plainScript))
  return fault && `the script ${fault}`
})

/** Describes what is wrong with a list of platforms; undefined for a valid list. */
export function platformsFault(names: readonly unknown[]): string | undefined {
  const unknownPlatform = names.find((one) => !platforms.some((known) => known === one))
  if (unknownPlatform === undefined) return undefined
  const name =
    typeof unknownPlatform === 'string'
      ? unknownPlatform
      : (JSON.stringify(unknownPlatform) ?? 'nothing')
  const meant = didYouMean(name, platforms)
  return `"${name}" is not a known platform.${meant} Platforms: ${platforms.join(', ')}`
}

const readConnected = whole((value) => {
  if (value === null) return undefined
  return Array.isArray(value) ? platformsFault(value) : 'pass a list of platforms or null'
})

const none = { flag: '', value: '', schema: {} } as const
const table: OptionTable<keyof CompleteGatewayOptions> = {
  host: optionTable.host,
  port: { ...optionTable.port, help: 'port to listen on; 0 picks a free one' },
  like: { ...optionTable.like, schema: { enum: [...serversOn('gateway'), null] } },
  secret: {
    ...none,
    help: 'the secret for routes without a secret',
    secret: true,
    schema: { type: ['string', 'null'] },
  },
  routes: { ...none, help: 'static routes by name', readWhole: readRoutes },
  subscriptionsFile: {
    ...none,
    help: 'file with the subscriptions',
    schema: { type: ['string', 'null'], minLength: 1 },
  },
  subscriptions: { ...none, help: 'subscriptions by name', readWhole: readRoutes },
  schemes: { ...none, help: 'schemes of signatures by name', readWhole: whole(schemesFault) },
  baseUrl: {
    ...none,
    help: 'the public base URL, for schemes that sign the address',
    schema: { type: ['string', 'null'], pattern: '^https?://[^?#]+[^?#/]$' },
  },
  rateLimit: { ...none, help: 'posts to one route per 60 seconds', schema: count(0) },
  maxBodyBytes: { ...none, help: 'largest body of a post in bytes', schema: count(0) },
  clock: optionTable.clock,
  epoch: optionTable.epoch,
  seed: optionTable.seed,
  explain: optionTable.explain,
  quirk: quirkEntry('quirk'),
  noQuirk: quirkEntry('noQuirk'),
  agent: { ...none, help: 'the agent that answers runs', readWhole: readAgent },
  scenario: optionTable.scenario,
  agentsAtOnce: {
    ...none,
    help: 'how many runs another agent may handle at the same time',
    schema: count(1),
  },
  agentTimeOutMs: { ...none, help: 'time limit for each run in milliseconds', schema: count(1) },
  deliveries: {
    ...none,
    help: 'sends deliveries',
    readWhole: whole((value) =>
      value === null || typeof value === 'function' ? undefined : 'pass a function or null',
    ),
  },
  homeChannels: {
    ...none,
    help: 'chats by platform',
    readWhole: whole((value) =>
      isPlainObject(value) ? undefined : 'pass an object of chats by platform',
    ),
  },
  connected: { ...none, help: 'the platforms that are connected', readWhole: readConnected },
  control: { ...none, help: 'whether to serve the control paths', schema: { type: 'boolean' } },
  controlToken: optionTable.controlToken,
  store: {
    ...none,
    help: 'file or PostgreSQL URL that keeps accepted posts',
    secret: true,
    schema: { type: ['string', 'null'], minLength: 1 },
  },
  keepDays: { ...none, help: 'days for which the store keeps ended runs', schema: count(0) },
  storeMib: { ...none, help: 'largest size of the store in MiB', schema: count(16) },
  leaseMs: {
    ...none,
    help: 'milliseconds after which a silent gateway counts as dead',
    schema: count(100),
  },
}

function quirkEntry(name: 'quirk' | 'noQuirk') {
  return {
    ...optionTable[name],
    schema: { type: 'array', items: { enum: quirksOf('gateway') } },
  } as const
}

/** Completes the options of a caller. Throws a usage error for an unknown name and an invalid value. */
export function completeGatewayOptions(given: GatewayOptionsInput): CompleteGatewayOptions {
  const where = (name: string): string => `option ${name}`
  if (typeof given.like === 'string') serverLike(given.like, 'gateway', where('like'))
  const read: Partial<CompleteGatewayOptions> = readOptions(table, given, where)
  const { quirk = [], noQuirk = [], subscriptionsFile = null, subscriptions = {} } = read
  if (subscriptionsFile !== null && Object.keys(subscriptions).length > 0) {
    throw usageError('Pass subscriptionsFile or subscriptions, not both.')
  }
  const server = serverLike(read.like, 'gateway', where('like'))
  const { host = gatewayAddress.host, clock = 'real' } = read
  return {
    host,
    port: gatewayAddress.port,
    like: null,
    secret: null,
    routes: {},
    subscriptionsFile,
    subscriptions,
    schemes: {},
    baseUrl: null,
    rateLimit: limits.webhookRate.value,
    maxBodyBytes: limits.webhookBody.value,
    clock,
    epoch: 'now',
    seed: '0',
    agent: plainScript,
    scenario: noScenario,
    agentsAtOnce: limits.agentsAtOnce.value,
    agentTimeOutMs: limits.agentTimeOut.value * 1000,
    deliveries: null,
    homeChannels: {},
    controlToken: null,
    connected: null,
    control: isLoopback(host) || clock === 'manual' || clock === 'instant',
    explain: false,
    store: null,
    keepDays: limits.keptRuns.value,
    storeMib: limits.store.value / 2 ** 20,
    leaseMs: limits.gatewayLease.value * 1000,
    noQuirk,
    ...server?.options,
    ...read,
    quirk: quirksLike(server, quirk, noQuirk),
  }
}
/** The options of a gateway's state. `wallMs` is the time for an epoch of `now`. */
export const stateOptions = (
  options: CompleteGatewayOptions,
  wallMs: number,
): GatewayStateOptions => ({
  seed: options.seed,
  epochMs: options.epoch === 'now' ? wallMs : options.epoch,
  host: options.host,
  secret: options.secret,
  routes: JSON.stringify(options.routes),
  schemes: options.schemes,
  baseUrl: options.baseUrl,
  rateLimit: options.rateLimit,
  maxBodyBytes: options.maxBodyBytes,
  quirks: options.quirk,
  agent: typeof options.agent === 'function' ? null : { ...plainScript, ...options.agent },
  script: options.scenario.gateway,
  agentsAtOnce: options.agentsAtOnce,
  agentTimeOutMs: options.agentTimeOutMs,
  sends: options.deliveries !== null,
  isKeyed: options.deliveries?.isKeyed === true,
  isSplit: options.deliveries?.isSplit === true,
  homeChannels: options.homeChannels,
  connected: options.connected,
  store: options.store === null ? 'none' : /^postgres(ql)?:/.test(options.store) ? 'shared' : 'own',
})
