// The options of a gateway: what they are, what they are by default, and what a gateway is made from.

import { limits } from '../../spec/limits.ts'
import { platforms } from '../../spec/gateway/deliveries.ts'
import { webhookRoute } from '../../spec/gateway/subscriptions.ts'
import { gatewayAddress } from '../../spec/gateway/webhooks.ts'
import { isLoopback } from '../lib/loopback.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'
import type { AgentRun, Delivery } from '../gateway/machine.ts'
import type { GatewayStateOptions } from '../gateway/state.ts'
import { type AgentScript, plainScript } from '../gateway/scripted-agent.ts'
import { isPlain } from './json-schema.ts'
import { quirksLike, serverLike, serversOn } from './like.ts'
import { type OptionTable, readOptions } from './read.ts'
import type { Clock } from './server-options.ts'
import { optionTable, quirksOf } from './table.ts'
import { usageError } from './usage.ts'

/** A route as the subscriptions file and config.yaml have it. */
export type RouteGiven = Readonly<Record<string, unknown>>
export type RoutesGiven = Readonly<Record<string, RouteGiven>>

/** Answers agent runs in the place of the scripted one. The signal ends its work when the run has timed out. */
export type Agent = (run: AgentRun, signal: AbortSignal) => PromiseLike<string>
/** Makes deliveries in the place of the outbox. Rejects where one fails: its message must hold no credential. */
export type Deliveries = (delivery: Delivery, signal: AbortSignal) => PromiseLike<void>

/** Options of a gateway, complete. */
export type CompleteGatewayOptions = {
  /** Address to listen on. */
  readonly host: string
  /** TCP port; 0 takes a free one. */
  readonly port: number
  /** The known gateway as which it behaves; null for what the description states. */
  readonly like: string | null
  /** The secret of routes that have none of their own. */
  readonly secret: string | null
  /** Static routes: they win over subscriptions. */
  readonly routes: RoutesGiven
  /** File with the subscriptions, which is looked at on each request; null keeps them in memory. */
  readonly subscriptionsFile: string | null
  /** Subscriptions to start with, where they are kept in memory: each of them has to be one that can be served. */
  readonly subscriptions: RoutesGiven
  /** Posts to one route within 60 seconds. */
  readonly rateLimit: number
  readonly maxBodyBytes: number
  readonly clock: Clock
  /** Start of the gateway's time: milliseconds since 1970, or `now`, which it is on every clock unless it is given. */
  readonly epoch: number | 'now'
  /** The ids that the gateway gives depend on it. */
  readonly seed: string
  /** Ids of quirks that are switched on. */
  readonly quirk: readonly string[]
  /** Ids of quirks that are switched off, although the known gateway has them. */
  readonly noQuirk: readonly string[]
  /** A script for the agent that there is, or another agent. */
  readonly agent: Partial<AgentScript> | Agent
  /** How many runs another agent has at a time; further ones wait. */
  readonly agentsAtOnce: number
  /** How long another agent has for a run, in milliseconds of the gateway's time. */
  readonly agentTimeOutMs: number
  /** What sends deliveries; null puts them into the outbox. */
  readonly deliveries: Deliveries | null
  /** The chats of routes that name none, by platform. */
  readonly homeChannels: Readonly<Record<string, string>>
  /** The platforms that are connected: deliveries to others fail. Null for all that have a chat or a home channel. */
  readonly connected: readonly string[] | null
  /**
   * Whether the paths below /_flowdouble/ are there. They answer callers on this machine, and others that have the control
   * token. By default they are where the gateway listens on loopback, or has a clock that only tests have.
   */
  readonly control: boolean
  /** What callers from elsewhere need as a bearer token to use these paths; null keeps them out. */
  readonly controlToken: string | null
}

/** Options of a gateway as a caller gives them. Each has a default. */
export type GatewayOptionsGiven = Partial<CompleteGatewayOptions>

/** A whole number from so many on. */
const count = (least: number) =>
  ({ type: 'integer', minimum: least, maximum: Number.MAX_SAFE_INTEGER }) as const

/** A value that a program gives, or why it cannot be used. */
const whole =
  (fault: (value: unknown) => string | undefined) =>
  (value: unknown): object | string =>
    fault(value) ?? (value as object)

const routesOf = whole((value) => {
  if (!isPlain(value)) return 'routes by name are needed'
  for (const [name, route] of Object.entries(value)) {
    const fault = isPlain(route) ? unknownMember(route, routeMembers) : undefined
    if (fault !== undefined) return `the route "${name}" ${fault}`
  }
})

const routeMembers = Object.keys(webhookRoute.properties)

/** What is wrong with an object that has other members than these; values stay out of it. */
function unknownMember(given: object, known: readonly string[]): string | undefined {
  const name = Object.keys(given).find((one) => !known.includes(one))
  if (name === undefined) return undefined
  const meant = nearest(name, known)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return `has a member that is none of ${known.join(', ')}${hint}`
}

const agentOf = whole((value) => {
  if (typeof value === 'function') return undefined
  if (!isPlain(value)) return 'a script or a function is needed'
  const fault = unknownMember(value, Object.keys(plainScript))
  return fault && `the script ${fault}`
})

/** What is wrong with a list of platforms; undefined where each of them is one. */
export function platformsFault(names: readonly unknown[]): string | undefined {
  const stray = names.find((one) => !platforms.some((known) => known === one))
  if (stray === undefined) return undefined
  const name = typeof stray === 'string' ? stray : (JSON.stringify(stray) ?? 'nothing')
  const meant = didYouMean(name, platforms)
  return `there is no platform "${name}".${meant} Known: ${platforms.join(', ')}`
}

const connectedOf = whole((value) => {
  if (value === null) return undefined
  return Array.isArray(value) ? platformsFault(value) : 'a list of platforms or null is needed'
})

const none = { flag: '', value: '', schema: {} } as const
const table: OptionTable<keyof CompleteGatewayOptions> = {
  host: optionTable.host,
  port: { ...optionTable.port, help: 'port to listen on; 0: a free one' },
  like: { ...optionTable.like, schema: { enum: [...serversOn('gateway'), null] } },
  secret: {
    ...none,
    help: 'the secret of routes without one of their own',
    secret: true,
    schema: { type: ['string', 'null'] },
  },
  routes: { ...none, help: 'static routes by name', readWhole: routesOf },
  subscriptionsFile: {
    ...none,
    help: 'file with the subscriptions',
    schema: { type: ['string', 'null'], minLength: 1 },
  },
  subscriptions: { ...none, help: 'subscriptions by name', readWhole: routesOf },
  rateLimit: { ...none, help: 'posts to one route within 60 seconds', schema: count(0) },
  maxBodyBytes: { ...none, help: 'largest body of a post', schema: count(0) },
  clock: optionTable.clock,
  epoch: optionTable.epoch,
  seed: optionTable.seed,
  quirk: quirkEntry('quirk'),
  noQuirk: quirkEntry('noQuirk'),
  agent: { ...none, help: 'who answers runs', readWhole: agentOf },
  agentsAtOnce: { ...none, help: 'runs that another agent has at a time', schema: count(1) },
  agentTimeOutMs: { ...none, help: 'milliseconds for each run', schema: count(1) },
  deliveries: {
    ...none,
    help: 'what sends deliveries',
    readWhole: whole((value) =>
      value === null || typeof value === 'function' ? undefined : 'a function or null is needed',
    ),
  },
  homeChannels: {
    ...none,
    help: 'chats by platform',
    readWhole: whole((value) => (isPlain(value) ? undefined : 'chats by platform are needed')),
  },
  connected: { ...none, help: 'the platforms that are connected', readWhole: connectedOf },
  control: { ...none, help: 'whether the control paths are there', schema: { type: 'boolean' } },
  controlToken: optionTable.controlToken,
}

function quirkEntry(name: 'quirk' | 'noQuirk') {
  return {
    ...optionTable[name],
    schema: { type: 'array', items: { enum: quirksOf('gateway') } },
  } as const
}

/** Completes the options of a caller. Throws a usage error for an unknown name and an unusable value. */
export function completeGatewayOptions(given: GatewayOptionsGiven): CompleteGatewayOptions {
  const where = (name: string): string => `option ${name}`
  if (typeof given.like === 'string') serverLike(given.like, 'gateway', where('like'))
  const read: GatewayOptionsGiven = readOptions(table, given, where)
  const { quirk = [], noQuirk = [], subscriptionsFile = null, subscriptions = {} } = read
  if (subscriptionsFile !== null && Object.keys(subscriptions).length > 0) {
    throw usageError('Subscriptions stand in their file, or are given to start with: not both.')
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
    rateLimit: limits.webhookRate.value,
    maxBodyBytes: limits.webhookBody.value,
    clock,
    epoch: 'now',
    seed: '0',
    agent: plainScript,
    agentsAtOnce: limits.agentsAtOnce.value,
    agentTimeOutMs: limits.agentTimeOut.value * 1000,
    deliveries: null,
    homeChannels: {},
    controlToken: null,
    connected: null,
    control: isLoopback(host) || clock === 'manual' || clock === 'instant',
    noQuirk,
    ...server?.options,
    ...read,
    quirk: quirksLike(server, quirk, noQuirk),
  }
}
/** What a gateway is made from. `wallMs` is the time that an epoch of now means. */
export const stateOptions = (
  options: CompleteGatewayOptions,
  wallMs: number,
): GatewayStateOptions => ({
  seed: options.seed,
  epochMs: options.epoch === 'now' ? wallMs : options.epoch,
  host: options.host,
  secret: options.secret,
  routes: JSON.stringify(options.routes),
  rateLimit: options.rateLimit,
  maxBodyBytes: options.maxBodyBytes,
  quirks: options.quirk,
  agent: typeof options.agent === 'function' ? null : { ...plainScript, ...options.agent },
  agentsAtOnce: options.agentsAtOnce,
  agentTimeOutMs: options.agentTimeOutMs,
  sends: options.deliveries !== null,
  homeChannels: options.homeChannels,
  connected: options.connected,
})
