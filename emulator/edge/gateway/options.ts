// The options of a gateway: what they are, what they are by default, and what a gateway is made from.

import { quirks } from '../../../spec/truth/quirks.ts'
import { limits } from '../../../spec/limits.ts'
import { gatewayAddress } from '../../../spec/gateway/webhooks.ts'
import { optionTable } from '../../options/table.ts'
import { readOptions, usageError } from '../../options/complete.ts'
import type { GatewayEntry } from '../../gateway/journal.ts'
import type { AgentRun, Delivery, GatewayEffect, GatewayInput } from '../../gateway/machine.ts'
import type { GatewayStateOptions } from '../../gateway/state.ts'
import { type AgentScript, plainScript } from '../../gateway/scripted-agent.ts'
import type { ClockGroup } from '../clock.ts'
import type { Tamper } from '../driver.ts'
import { isLoopback } from '../guard.ts'
import type { Clock } from '../../options/server-options.ts'

/** A route as the subscriptions file and config.yaml have it. */
export type RouteGiven = Readonly<Record<string, unknown>>
export type RoutesGiven = Readonly<Record<string, RouteGiven>>

/** Answers agent runs in the place of the scripted one. The signal ends its work when the run has timed out. */
export type Agent = (run: AgentRun, signal: AbortSignal) => Promise<string>
/** Makes deliveries in the place of the outbox. Rejects where one fails: its message must hold no credential. */
export type Deliveries = (delivery: Delivery, signal: AbortSignal) => Promise<void>

/** Options of `startGateway`. Each has a default. */
export type GatewayOptions = {
  /** Address to listen on. */
  readonly host?: string
  /** TCP port; 0 takes a free one. */
  readonly port?: number
  /** The secret of routes that have none of their own. */
  readonly secret?: string | null
  /** Static routes: they win over subscriptions. */
  readonly routes?: RoutesGiven
  /** File with the subscriptions, which is looked at on each request; null keeps them in memory. */
  readonly subscriptionsFile?: string | null
  /** Subscriptions to start with, where they are kept in memory: each of them has to be one that can be served. */
  readonly subscriptions?: RoutesGiven
  /** Posts to one route within 60 seconds. */
  readonly rateLimit?: number
  readonly maxBodyBytes?: number
  readonly clock?: Clock
  /** Start of the gateway's time: milliseconds since 1970, or `now`, which it is on every clock unless it is given. */
  readonly epoch?: number | 'now'
  /** The ids that the gateway gives depend on it. */
  readonly seed?: string
  /** Ids of quirks that are switched on. */
  readonly quirk?: readonly string[]
  /** A script for the agent that there is, or another agent. */
  readonly agent?: Partial<AgentScript> | Agent
  /** How many runs another agent has at a time; further ones wait. */
  readonly agentsAtOnce?: number
  /** How long another agent has for a run, in milliseconds of the gateway's time. */
  readonly agentTimeOutMs?: number
  /** What sends deliveries; null puts them into the outbox. */
  readonly deliveries?: Deliveries | null
  /** The chats of routes that name none, by platform. */
  readonly homeChannels?: Readonly<Record<string, string>>
  /**
   * Whether the paths below /_flowdouble/ are there. They answer callers on this machine, and others that have the control
   * token. By default they are where the gateway listens on loopback, or has a clock that only tests have.
   */
  readonly control?: boolean
  /** What callers from elsewhere need as a bearer token to use these paths; null keeps them out. */
  readonly controlToken?: string | null
  /** Called with each input and its effects, after they have been carried out. */
  readonly onEntry?: (entry: GatewayEntry) => void
  /** For suites only: makes a deliberately wrong gateway, to show that a case catches it. */
  readonly tamper?: Tamper<GatewayInput, GatewayEffect>
  /** For commands only: servers whose manual clocks are one. */
  readonly clocks?: ClockGroup
}

/** All options that have a value by themselves. */
export type CompleteGatewayOptions = Required<Omit<GatewayOptions, 'onEntry' | 'tamper' | 'clocks'>>

/** Completes the options of a caller. Throws a usage error for an unusable value. */
export function completeGatewayOptions(given: GatewayOptions): CompleteGatewayOptions {
  // These are read as those of a server are. The port is told in other words: it has another default.
  const read = readOptions(
    {
      host: given.host,
      clock: given.clock,
      epoch: given.epoch,
      seed: given.seed,
      controlToken: given.controlToken,
    },
    (name) => `option ${name}`,
  )
  const { host = gatewayAddress.host, clock = 'real', epoch = 'now', seed = '0' } = read
  const {
    port = gatewayAddress.port,
    quirk = [],
    rateLimit = limits.webhookRate.value,
    maxBodyBytes = limits.webhookBody.value,
    agentsAtOnce = limits.agentsAtOnce.value,
    agentTimeOutMs = limits.agentTimeOut.value * 1000,
    subscriptionsFile = null,
    subscriptions = {},
  } = given
  const unknown = quirk.find((id) => !gatewayQuirks.includes(id))
  if (unknown !== undefined) {
    throw usageError(
      `There is no quirk "${unknown}" of the gateway. Known:\n  ${gatewayQuirks.join('\n  ')}`,
    )
  }
  if (optionTable.port.read(`${port}`) === undefined)
    throw usageError(`option port cannot be ${port}: a port, 0 to 65535.`)
  const counts = { rateLimit, maxBodyBytes, agentsAtOnce, agentTimeOutMs }
  for (const [name, value] of Object.entries(counts)) {
    const least = name.startsWith('agent') ? 1 : 0
    if (!Number.isSafeInteger(value) || value < least) {
      throw usageError(
        `option ${name} cannot be ${String(value)}: a whole number from ${least} on.`,
      )
    }
  }
  if (subscriptionsFile !== null && Object.keys(subscriptions).length > 0) {
    throw usageError('Subscriptions stand in their file, or are given to start with: not both.')
  }
  return {
    host,
    port,
    clock,
    epoch,
    seed,
    quirk,
    rateLimit,
    maxBodyBytes,
    agentsAtOnce,
    agentTimeOutMs,
    subscriptionsFile,
    subscriptions,
    secret: given.secret ?? null,
    routes: given.routes ?? {},
    agent: given.agent ?? plainScript,
    deliveries: given.deliveries ?? null,
    homeChannels: given.homeChannels ?? {},
    controlToken: read.controlToken ?? null,
    control: given.control ?? (isLoopback(host) || clock === 'manual' || clock === 'instant'),
  }
}

const gatewayQuirks: readonly string[] = Object.entries(quirks)
  .filter(([, { on }]) => on.some((place) => place === 'gateway'))
  .map(([id]) => id)

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
})
