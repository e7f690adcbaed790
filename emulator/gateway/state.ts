// The state of a webhook gateway: its types, and how to create and fork it.

import { limits } from '../../spec/limits.ts'
import {
  hiddenFromCharacters,
  insecureSecret,
  loopbackHosts,
} from '../../spec/gateway/signatures.ts'
import type { quirks } from '../../spec/truth/quirks.ts'
import { type Bounded, createBounded } from '../lib/bounded.ts'
import { isObject, type Json, type JsonObject, readJson } from '../lib/json.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { createTimers, type Timer, type Timers } from '../lib/timers.ts'
import type { AgentRun, Delivery, GatewayEffect, ScriptedFailure } from './machine.ts'
import { createRates, type Rates } from './rates.ts'
import { readRoute, type Route, usable } from './routes.ts'
import type { AgentScript } from './scripted-agent.ts'
import { type Hmac, portableHmac } from './signatures.ts'

/** The options of a gateway's state. */
export type GatewayStateOptions = {
  /** Seed of the ids that the gateway generates. */
  readonly seed: string
  /** Start of its time, in milliseconds since 1970. */
  readonly epochMs: number
  /** The address to listen on, as configured. */
  readonly host: string
  /** The secret for routes without a secret; null for none. */
  readonly secret: string | null
  /** The static routes by name, as JSON text. */
  readonly routes: string
  /** Maximum number of posts to one route per window. */
  readonly rateLimit: number
  readonly maxBodyBytes: number
  readonly quirks: readonly string[]
  /** The script of the built-in agent; null for an external agent. */
  readonly agent: AgentScript | null
  /** Capacity and time limit of an external agent. */
  readonly agentsAtOnce: number
  readonly agentTimeOutMs: number
  /** Whether deliveries are sent. Otherwise they are recorded in the outbox. */
  readonly sends: boolean
  /** The chats for routes that do not name one, by platform. */
  readonly homeChannels: Readonly<Record<string, string>>
  /** The platforms that are connected; null for all. */
  readonly connected: readonly string[] | null
}

type GatewayQuirk = Extract<keyof typeof quirks, `webhooks.${string}`>

/** A timer of the gateway. */
export type GatewayTimer =
  | { readonly kind: 'answer'; readonly run: number }
  | { readonly kind: 'agent-time-out'; readonly run: number }
  | { readonly kind: 'attempt'; readonly attempt: number }
  | { readonly kind: 'sender-time-out'; readonly attempt: number }

/** An agent run without an answer so far, with what its end needs. */
export type RunningRun = {
  readonly run: AgentRun
  readonly place: Place
  /** Its size, in bytes. */
  readonly bytes: number
}

/** Where a text goes: the target with all details, or why it cannot be delivered. */
export type Place = Pick<Delivery, 'target' | 'chat_id' | 'thread_id' | 'deliver_extra'> & {
  readonly fault: string | null
}

/** A delivery in progress, or waiting for a retry. */
export type Attempt = {
  readonly delivery: Delivery
  /** What follows its end: a reply to the post, with the target as written in its route, or a retry. */
  readonly ending:
    | {
        readonly kind: 'direct'
        readonly request: number
        readonly deliver: string
        /** Repeats of the post, which get the same reply. */
        readonly repeats: readonly number[]
      }
    | { readonly kind: 'answer' }
  /** Why it cannot be delivered; null if it can. */
  readonly fault: string | null
  /** The row of the retry table that matches its first error; null before that. */
  readonly row: number | null
}

/** The setup of a gateway. It never changes, and forks share it. */
export type GatewaySetup = {
  readonly options: GatewayStateOptions
  readonly hmac: Hmac
  readonly staticRoutes: ReadonlyMap<string, Route>
}

/** The complete state of a gateway, as plain data that `structuredClone` copies. */
export type GatewayState = {
  nowMs: number
  readonly random: Random
  dynamicRoutes: ReadonlyMap<string, Route>
  /** All secrets ever known, which no log line contains. Longest first, so that one inside another hides nothing of it. */
  secrets: readonly string[]
  /** When the loaded file was last modified. */
  fileModifiedMs: number
  readonly rates: Rates
  /** When each delivery id first came, by route and id. */
  readonly deliveryIds: Bounded<number>
  readonly running: Map<number, RunningRun>
  /** Runs for an external agent: those in progress, with their time-outs, and those that wait. */
  readonly asked: Map<number, Timer<GatewayTimer>>
  readonly waiting: number[]
  /** The total size of the waiting runs, in bytes: texts count by their characters. */
  waitingBytes: number
  readonly attempts: Map<number, Attempt>
  /** The time-outs of attempts in progress. */
  readonly sending: Map<number, Timer<GatewayTimer>>
  failures: ScriptedFailure[]
  readonly timers: Timers<GatewayTimer>
  lastSerial: number
}

/** A running gateway. Only `step` changes it. */
export type GatewayWorld = {
  readonly setup: GatewaySetup
  readonly state: GatewayState
  /** The effects of the current step. */
  effects: GatewayEffect[]
}

/** @param hmac a faster implementation from the edge, if any. */
export function createGatewayWorld(
  options: GatewayStateOptions,
  hmac = portableHmac,
): GatewayWorld {
  const world: GatewayWorld = {
    setup: {
      options,
      hmac,
      staticRoutes: readStatic(options),
    },
    state: {
      nowMs: 0,
      random: createRandom(options.seed),
      dynamicRoutes: new Map(),
      secrets: [],
      fileModifiedMs: 0,
      rates: createRates(),
      deliveryIds: createBounded(limits.deliveryIds.value),
      running: new Map(),
      asked: new Map(),
      waiting: [],
      waitingBytes: 0,
      attempts: new Map(),
      sending: new Map(),
      failures: [],
      timers: createTimers(),
      lastSerial: 0,
    },
    effects: [],
  }
  noteSecrets(world)
  return world
}

/**
 * A fork that continues from the state of this gateway. Neither changes the other from now on.
 * @public
 */
export const forkGateway = ({ setup, state }: GatewayWorld): GatewayWorld => ({
  setup,
  state: structuredClone(state),
  effects: [],
})

function readStatic(options: GatewayStateOptions): Map<string, Route> {
  const routes = new Map<string, Route>()
  for (const [name, route] of membersOf(readJson(options.routes))) {
    if (isObject(route)) routes.set(name, readRoute(name, route, options.secret))
  }
  return routes
}

const membersOf = (value: Json): JsonObject => (isObject(value) ? value : new Map())

/** Why the static routes cannot be served, as a sentence without secrets; undefined if they can. */
export function staticFault(options: GatewayStateOptions): string | undefined {
  for (const [name, route] of membersOf(readJson(options.routes))) {
    if (!isObject(route)) return `The static route "${name}" is not an object.`
    const fault = usable(readRoute(name, route, options.secret), isOpenAllowed(options))
    if (fault !== undefined) return `The static route "${name}" ${fault}.`
  }
  return undefined
}

export const hasQuirk = (
  { setup }: { readonly setup: Pick<GatewaySetup, 'options'> },
  id: GatewayQuirk,
): boolean => setup.options.quirks.includes(id)

/** Whether the special secret switches validation off: with a quirk, and on loopback only. */
export const isOpenAllowed = (options: GatewayStateOptions): boolean =>
  hasQuirk({ setup: { options } }, 'webhooks.insecure-no-auth') &&
  loopbackHosts.some((host) => host === options.host.trim().toLowerCase())

/** The route of a name; static ones win. */
export const routeOf = (
  { setup: { staticRoutes }, state: { dynamicRoutes } }: GatewayWorld,
  name: string,
): Route | undefined => staticRoutes.get(name) ?? dynamicRoutes.get(name)

/** The time of the gateway in milliseconds since 1970. */
export const timeMs = ({ setup: { options }, state: { nowMs } }: GatewayWorld): number =>
  options.epochMs + nowMs

/** A number that is unique in this gateway. */
export const nextSerial = (world: GatewayWorld): number => ++world.state.lastSerial

/** Adds a log line, without any secret of a route [signatures/hidden]. */
export function log(
  world: GatewayWorld,
  level: Extract<GatewayEffect, { kind: 'log' }>['level'],
  line: string,
): void {
  world.effects.push({ kind: 'log', level, text: redact(world.state, line) })
}

/** Redacts the secrets that the gateway knows. */
export function redact({ secrets }: Pick<GatewayState, 'secrets'>, text: string): string {
  let redacted = text
  for (const secret of secrets) redacted = redacted.replaceAll(secret, '<secret>')
  return redacted
}

/** Remembers the current secrets after the routes have changed; running runs can still contain older ones. */
export function noteSecrets(world: GatewayWorld): void {
  const {
    setup: { options, staticRoutes },
    state: { dynamicRoutes },
  } = world
  const secrets = new Set([...world.state.secrets, options.secret ?? ''])
  for (const { secret } of staticRoutes.values()) secrets.add(secret)
  for (const { secret } of dynamicRoutes.values()) secrets.add(secret)
  world.state.secrets = [...secrets]
    .filter((secret) => secret.length >= hiddenFromCharacters && secret !== insecureSecret)
    .toSorted((a, b) => b.length - a.length)
}
