// The state of a webhook gateway, and what follows from it at once.

import { loopbackHosts } from '../../spec/gateway/signatures.ts'
import type { quirks } from '../../spec/truth/quirks.ts'
import type { Bounded } from '../lib/bounded.ts'
import type { Random } from '../lib/random.ts'
import type { Timer, Timers } from '../lib/timers.ts'
import type { AgentRun, Delivery, GatewayEffect, ScriptedFailure } from './machine.ts'
import type { Rates } from './rates.ts'
import type { Route } from './routes.ts'
import type { AgentScript } from './scripted-agent.ts'
import type { Hmac } from './signatures.ts'

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

export const hasQuirk = ({ setup }: GatewayWorld, id: GatewayQuirk): boolean =>
  isOn(setup.options, id)

const isOn = ({ quirks }: GatewayStateOptions, id: GatewayQuirk): boolean => quirks.includes(id)

/** Whether the secret that stands for no validation does so: by a quirk, and on loopback only. */
export const isOpenAllowed = (options: GatewayStateOptions): boolean =>
  isOn(options, 'webhooks.insecure-no-auth') &&
  loopbackHosts.some((host) => host === options.host.trim().toLowerCase())

/** The time of the gateway in milliseconds since 1970. */
export const timeMs = ({ setup: { options }, state: { nowMs } }: GatewayWorld): number =>
  options.epochMs + nowMs

/** A number that nothing else of this gateway has. */
export const nextSerial = (world: GatewayWorld): number => ++world.state.lastSerial
