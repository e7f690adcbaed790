// The state of a webhook gateway, and how one is made.

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

/** What a gateway is made from. */
export type GatewayStateOptions = {
  /** The ids that the gateway gives depend on it. */
  readonly seed: string
  /** Start of its time, in milliseconds since 1970. */
  readonly epochMs: number
  /** The address that it listens on, as it was given. */
  readonly host: string
  /** The secret of routes that have none of their own; null for none. */
  readonly secret: string | null
  /** The static routes by name, as JSON text. */
  readonly routes: string
  /** Posts to one route within its window. */
  readonly rateLimit: number
  readonly maxBodyBytes: number
  readonly quirks: readonly string[]
  /** The script by which runs are answered; null where somebody else answers them. */
  readonly agent: AgentScript | null
  /** How many runs somebody else has at a time, and how long for each. */
  readonly agentsAtOnce: number
  readonly agentTimeOutMs: number
  /** Whether deliveries are really sent. Otherwise the outbox takes them. */
  readonly sends: boolean
  /** The chats of routes that name none, by platform. */
  readonly homeChannels: Readonly<Record<string, string>>
  /** The platforms that are connected; null for all. */
  readonly connected: readonly string[] | null
}

type GatewayQuirk = Extract<keyof typeof quirks, `webhooks.${string}`>

/** Something that the gateway does by itself at a time. */
export type GatewayTimer =
  | { readonly kind: 'answer'; readonly run: number }
  | { readonly kind: 'agent-time-out'; readonly run: number }
  | { readonly kind: 'attempt'; readonly attempt: number }
  | { readonly kind: 'sender-time-out'; readonly attempt: number }

/** An agent run that has no answer yet, with what is needed when it comes. */
export type RunningRun = {
  readonly run: AgentRun
  readonly place: Place
  /** What it holds, in bytes. */
  readonly bytes: number
}

/** Where a text goes: the target with all that it needs, or why it cannot be delivered. */
export type Place = Pick<Delivery, 'target' | 'chat_id' | 'thread_id' | 'deliver_extra'> & {
  readonly fault: string | null
}

/** A delivery that is not over, or that is to be tried again. */
export type Attempt = {
  readonly delivery: Delivery
  /** What becomes of it: the post is answered, with the target as its route has it, or it is tried again. */
  readonly ending:
    | {
        readonly kind: 'direct'
        readonly request: number
        readonly deliver: string
        /** The posts that came again meanwhile, and are answered with it. */
        readonly repeats: readonly number[]
      }
    | { readonly kind: 'answer' }
  /** Why it cannot be delivered at all; null where it can. */
  readonly fault: string | null
  /** The row of the table of retries that its first error is about; null before it. */
  readonly row: number | null
}

/** What a gateway is made from. It never changes, and forks of it share it. */
export type GatewaySetup = {
  readonly options: GatewayStateOptions
  readonly hmac: Hmac
  readonly staticRoutes: ReadonlyMap<string, Route>
}

/** All that changes in a gateway, as plain data that `structuredClone` copies. */
export type GatewayState = {
  nowMs: number
  readonly random: Random
  dynamicRoutes: ReadonlyMap<string, Route>
  /** All secrets ever known, which no log line tells, longest first, so that one inside another hides nothing of it. */
  secrets: readonly string[]
  /** When the file that was loaded last was modified. */
  fileModifiedMs: number
  readonly rates: Rates
  /** When a delivery id came first, by route and id. */
  readonly deliveryIds: Bounded<number>
  readonly running: Map<number, RunningRun>
  /** Runs that somebody else is to answer: those that he has, with their time-outs, and those that wait for their turn. */
  readonly asked: Map<number, Timer<GatewayTimer>>
  readonly waiting: number[]
  /** What the runs hold that no agent has yet, in bytes: texts count by their letters. */
  waitingBytes: number
  readonly attempts: Map<number, Attempt>
  /** The time-outs of the attempts that are being sent. */
  readonly sending: Map<number, Timer<GatewayTimer>>
  failures: ScriptedFailure[]
  readonly timers: Timers<GatewayTimer>
  lastSerial: number
}

/** A gateway at work. Only `step` changes it. */
export type GatewayWorld = {
  readonly setup: GatewaySetup
  readonly state: GatewayState
  /** Effects of the step that is under way. */
  effects: GatewayEffect[]
}

/** @param hmac that of the edge, where it has a faster one. */
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
 * A gateway that goes on from where this one is. From now on neither changes anything in the other.
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

/** Why the static routes cannot be served, as a sentence that tells no secret; undefined when they can. */
export function staticFault(options: GatewayStateOptions): string | undefined {
  for (const [name, route] of membersOf(readJson(options.routes))) {
    if (!isObject(route)) return `The static route "${name}" is no object.`
    const fault = usable(readRoute(name, route, options.secret), isOpenAllowed(options))
    if (fault !== undefined) return `The static route "${name}" ${fault}.`
  }
  return undefined
}

export const hasQuirk = (
  { setup }: { readonly setup: Pick<GatewaySetup, 'options'> },
  id: GatewayQuirk,
): boolean => setup.options.quirks.includes(id)

/** Whether the secret that stands for no validation does so: by a quirk, and on loopback only. */
export const isOpenAllowed = (options: GatewayStateOptions): boolean =>
  hasQuirk({ setup: { options } }, 'webhooks.insecure-no-auth') &&
  loopbackHosts.some((host) => host === options.host.trim().toLowerCase())

/** The route of a name; static ones win. */
export const routeOf = (
  { setup, state: { dynamicRoutes } }: GatewayWorld,
  name: string,
): Route | undefined => {
  const route = setup.staticRoutes.get(name) ?? dynamicRoutes.get(name)
  return route?.isEmpty && hasQuirk({ setup }, 'webhooks.empty-route') ? undefined : route
}

/** The time of the gateway in milliseconds since 1970. */
export const timeMs = ({ setup: { options }, state: { nowMs } }: GatewayWorld): number =>
  options.epochMs + nowMs

/** A number that nothing else of this gateway has. */
export const nextSerial = (world: GatewayWorld): number => ++world.state.lastSerial

/** Writes a line of the log, in which no secret of a route stands [signatures/hidden]. */
export function log(
  world: GatewayWorld,
  level: Extract<GatewayEffect, { kind: 'log' }>['level'],
  line: string,
): void {
  world.effects.push({ kind: 'log', level, text: redact(world.state, line) })
}

/** A text without the secrets that the gateway knows. */
export function redact({ secrets }: Pick<GatewayState, 'secrets'>, text: string): string {
  let redacted = text
  for (const secret of secrets) redacted = redacted.replaceAll(secret, '<secret>')
  return redacted
}

/** Notes the secrets that the gateway knows now, after its routes have changed; runs can still tell older ones. */
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
