// The state of a webhook gateway, and values derived from it.

import { loopbackHosts } from '../../../spec/gateway/signatures.ts'
import type { quirks } from '../../../spec/truth/quirks.ts'
import type { GatewayScript } from '../../../spec/scenario/gateway.ts'
import type { Bounded } from '../../lib/bounded.ts'
import type { Random } from '../../lib/random.ts'
import type { Timer, Timers } from '../../lib/timers.ts'
import type { Backlog, Destination, StoredRun } from './facts.ts'
import type { DeliveryFailure, GatewayEffect, PostEffect } from './inputs.ts'
import type { AgentRun, Delivery } from './run.ts'
import type { Metrics } from './metrics.ts'
import type { Pace } from './pace.ts'
import type { Rates } from './rate-limit.ts'
import type { Route } from './routes.ts'
import type { AgentScript } from './scripted-agent.ts'
import { type NamedScheme, type OwnSchemes, schemesWith } from '../post/schemes.ts'
import type { Hmac } from '../post/sign.ts'
import type { Waiting } from './waiting.ts'

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
  /** Further schemes of signatures, which routes can name. */
  readonly schemes: OwnSchemes
  /** The public base URL, for schemes that sign the address; null to derive it from each post. */
  readonly baseUrl: string | null
  /** Maximum number of posts to one route per window. */
  readonly rateLimit: number
  readonly maxBodyBytes: number
  readonly quirks: readonly string[]
  /** The script of the built-in agent; null for an external agent. */
  readonly agent: AgentScript | null
  /** What a scenario says of agent answers, deliveries and rate limits. */
  readonly script: GatewayScript
  /** Capacity and time limit of an external agent. */
  readonly agentsAtOnce: number
  readonly agentTimeOutMs: number
  /** Whether deliveries are sent. Otherwise they are recorded in the outbox. */
  readonly sends: boolean
  /** Whether whoever gets deliveries knows a repeat by its key. */
  readonly isKeyed: boolean
  /** Whether texts are sent in parts that their platform takes. */
  readonly isSplit: boolean
  /** The chats for routes that do not name one, by platform. */
  readonly homeChannels: Readonly<Record<string, string>>
  /** The platforms that are connected; null for all. */
  readonly connected: readonly string[] | null
  /** What keeps accepted posts: nothing but this process, a store that it has for itself, or one that others use too. */
  readonly store: 'none' | 'own' | 'shared'
}

type GatewayQuirk = Extract<keyof typeof quirks, `webhooks.${string}`>

/** A timer of the gateway. */
export type GatewayTimer =
  | { readonly kind: 'answer'; readonly run: number }
  | { readonly kind: 'agent-time-out'; readonly run: number }
  | { readonly kind: 'attempt'; readonly attempt: number }
  | { readonly kind: 'sender-time-out'; readonly attempt: number }
  /** A slow delivery to the outbox ends. */
  | {
      readonly kind: 'delivered'
      readonly attempt: number
      readonly failure: DeliveryFailure | null
    }

/** An agent run without an answer so far, with what its end needs. */
export type RunningRun = {
  readonly run: AgentRun
  readonly place: Destination
  /** How the scripted agent answers; null for an external agent. */
  readonly script: RunScript | null
  /** Its size, in bytes. */
  readonly bytes: number
  /** Whether it waits until the run of its route before it is delivered. */
  readonly isInOrder: boolean
}

/** The answer of the scripted agent to a run: a template, unless it fails. */
export type RunScript = Omit<AgentScript, 'routes'>

/** What happens to deliveries to a target in the outbox, `*` for all: how many times, null for all from now on. */
export type DeliveryScript = {
  readonly target: string
  /** Why they fail; null if they only take time. */
  readonly failure: DeliveryFailure | null
  readonly delayMs: number
  readonly times: number | null
}

/** A post that passed all checks, and what follows once it is kept. */
export type AcceptedPost = {
  readonly post: PostEffect
  readonly work:
    | { readonly kind: 'run'; readonly run: StoredRun; readonly reply: ReplyText }
    | {
        readonly kind: 'direct'
        readonly place: Destination
        readonly message: Message
        readonly deliver: string
      }
}

/** A reply whose body is a text. */
type ReplyText = Pick<Extract<GatewayEffect, { kind: 'reply' }>, 'status' | 'headers' | 'body'>

/** A text to be delivered, with the post that it comes from. */
export type Message = Pick<Delivery, 'key' | 'route' | 'event' | 'delivery_id' | 'text'>

/** What waits for the store to keep its facts. */
export type Pending =
  /** A post, with the repeats of it that came meanwhile. */
  | { readonly kind: 'post'; readonly accepted: AcceptedPost; readonly repeats: readonly number[] }
  /** A post that only counts: its reply, and the report. */
  | {
      readonly kind: 'counted'
      readonly request: number
      readonly route: string
      readonly effects: readonly GatewayEffect[]
    }
  /** The answer of a run, to be delivered. */
  | {
      readonly kind: 'answer'
      readonly run: number
      readonly place: Destination
      readonly message: Message
    }
  /** The replies to a direct delivery that arrived. */
  | {
      readonly kind: 'replies'
      readonly route: string
      readonly delivery_id: string
      readonly replies: readonly GatewayEffect[]
    }

/** A delivery in progress, or waiting for a retry. */
export type Attempt = {
  readonly delivery: Delivery
  /** All parts of its text. */
  readonly texts: readonly string[]
  /** What follows its end: a reply to the post, with the target as written in its route, a retry, or nothing. */
  readonly ending:
    | {
        readonly kind: 'direct'
        readonly request: number
        readonly deliver: string
        /** Repeats of the post, which get the same reply. */
        readonly repeats: readonly number[]
      }
    /** The number and the key of its run. */
    | { readonly kind: 'answer'; readonly run: number; readonly key: string }
    | { readonly kind: 'notice' }
  /** Why it cannot be delivered; null if it can. */
  readonly fault: string | null
  /** Whether this is the second attempt as plain text, or a retry of it. */
  readonly isPlain: boolean
}

/** How many parts of a text have been confirmed. */
export type ConfirmedParts = { readonly count: number; readonly texts: readonly string[] }

/** The setup of a gateway. It never changes, and forks share it. */
export type GatewaySetup = {
  readonly options: GatewayStateOptions
  readonly hmac: Hmac
  readonly staticRoutes: ReadonlyMap<string, Route>
  /** The schemes that a route can name; null if routes name none. */
  readonly schemes: ReadonlyMap<string, NamedScheme> | null
}

/** The complete state of a gateway, as plain data that `structuredClone` copies. */
export type GatewayState = {
  nowMs: number
  readonly random: Random
  dynamicRoutes: ReadonlyMap<string, Route>
  /** All secrets ever known, which no log line contains. Each list is a new one. */
  secrets: readonly string[]
  /** When the loaded file was last modified. */
  fileModifiedMs: number
  readonly rates: Rates
  /** When each delivery id first came, by route and id. */
  readonly deliveryIds: Bounded<number>
  readonly running: Map<number, RunningRun>
  /** The runs that an external agent works on, with their time-outs. */
  readonly asked: Map<number, Timer<GatewayTimer>>
  readonly waiting: Waiting
  /** When the latest runs ended. */
  pace: Pace
  /** The runs that wait in the store for any gateway, by route. */
  backlog: ReadonlyMap<string, Backlog>
  /** Whether it stops: it accepts no posts and starts no runs. */
  isDraining: boolean
  /** What waits for the store, by the number of its effect. */
  readonly pending: Map<number, Pending>
  readonly attempts: Map<number, Attempt>
  /** The time-outs of attempts in progress. */
  readonly sending: Map<number, Timer<GatewayTimer>>
  /** The parts of direct deliveries that were confirmed before they failed, by route and id. */
  readonly confirmed: Bounded<ConfirmedParts>
  deliveryScripts: DeliveryScript[]
  /** How many runs have started. */
  runCount: number
  readonly timers: Timers<GatewayTimer>
  lastSerial: number
  /** What is wrong with it, as sentences without secrets, by what they are about. */
  readonly problems: Map<string, string>
  /** How many attempts in a row failed at a target, and when the latest one did. */
  readonly failures: Map<string, { readonly count: number; readonly atMs: number }>
  readonly metrics: Metrics
}

/** A running gateway. Only `step` changes it. */
export type GatewayWorld = {
  readonly setup: GatewaySetup
  /** Only gateway.ts replaces it. */
  state: GatewayState
  /** States by the names of their snapshots. None of them changes. */
  readonly snapshots: Map<string, GatewayState>
  /** The effects of the current step. */
  effects: GatewayEffect[]
}

export const hasQuirk = ({ setup }: GatewayWorld, id: GatewayQuirk): boolean =>
  isOn(setup.options, id)

const isOn = ({ quirks }: GatewayStateOptions, id: GatewayQuirk): boolean => quirks.includes(id)

/** Whether the special secret switches validation off: with a quirk, and on loopback only. */
export const isOpenAllowed = (options: GatewayStateOptions): boolean =>
  isOn(options, 'webhooks.insecure-no-auth') &&
  loopbackHosts.some((host) => host === options.host.trim().toLowerCase())

/** The schemes that a route can name. The reference gateway does not know that member. */
export const schemesOf = (options: GatewayStateOptions): GatewaySetup['schemes'] =>
  isOn(options, 'webhooks.fewer-schemes') ? null : schemesWith(options.schemes)

/** The time of the gateway in milliseconds since 1970. */
export const timeMs = ({ setup: { options }, state: { nowMs } }: GatewayWorld): number =>
  options.epochMs + nowMs

/** A number that is unique in this gateway. */
export const nextSerial = (world: GatewayWorld): number => ++world.state.lastSerial
