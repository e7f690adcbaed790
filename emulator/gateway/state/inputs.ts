// The inputs and effects of a webhook gateway: plain data, the same behind every edge.

import type { IncomingRequest, WorldChange } from '../../machine.ts'
import type { Origin } from '../post/origin.ts'
import type { AgentRun, AttemptOutcome, Delivery, OutboxEntry } from './run.ts'
import type { Backlog, Fact, StoredRun, StoreOutcome } from './facts.ts'

/** An input of a gateway. `atMs` is the gateway's time in milliseconds since its start. */
export type GatewayInput =
  /** Of each header the first value; a character stands for a byte. */
  | (IncomingRequest & {
      readonly kind: 'request'
      readonly atMs: number
      /** Chosen by the edge; the reply carries it back. */
      readonly request: number
    })
  /** The subscriptions file has changed: its text, or null if it no longer exists. */
  | {
      readonly kind: 'file'
      readonly atMs: number
      readonly text: string | null
      /** When it was modified, in milliseconds since 1970. */
      readonly modifiedMs: number
    }
  /** An external agent has finished a run: with an answer, or with an error. */
  | {
      readonly kind: 'answered'
      readonly atMs: number
      readonly run: number
      readonly answer: string
      readonly error: string | null
    }
  /** A delivery attempt has ended: successfully, or with an error and what else is known of the failure. */
  | ({
      readonly kind: 'delivered'
      readonly atMs: number
      readonly delivery: number
      readonly error: string | null
    } & FailureFacts)
  /** The store has kept the facts of a `store` effect, or says why not. */
  | {
      readonly kind: 'stored'
      readonly atMs: number
      readonly number: number
      readonly outcome: StoreOutcome
    }
  /** The store hands over runs that no living gateway has. */
  | { readonly kind: 'claimed'; readonly atMs: number; readonly runs: readonly StoredRun[] }
  /** What waits in the store, by route, beside the runs that this gateway has. */
  | { readonly kind: 'backlog'; readonly atMs: number; readonly routes: readonly Backlog[] }
  /** What is wrong with the store, in a sentence; null if it works again. */
  | { readonly kind: 'store-problem'; readonly atMs: number; readonly problem: string | null }
  /** It is to stop: it accepts no posts from now on, and starts no runs. */
  | { readonly kind: 'drain'; readonly atMs: number }
  /** Ends a run, whose answer nobody needs any more. */
  | { readonly kind: 'cancel'; readonly atMs: number; readonly key: string }
  /** Makes deliveries to the outbox fail from now on. */
  | ({ readonly kind: 'fail'; readonly atMs: number } & ScriptedFailure)
  /** The gateway is to stop: it refuses posts from now on. */
  | { readonly kind: 'drain'; readonly atMs: number }
  /** The whole state of the gateway changes (see WorldChange). */
  | ({ readonly kind: 'world'; readonly atMs: number } & WorldChange)
  /** Time passes: fires all timers that are due until `atMs`. */
  | { readonly kind: 'wake'; readonly atMs: number }

/** What a reply says of the failure of a delivery, beside its text. */
export type FailureFacts = {
  /** The status, which decides about retries; absent if nobody replied. */
  readonly status?: number
  /** How long to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number
}

/** Why an attempt to deliver failed. */
export type DeliveryFailure = FailureFacts & { readonly error: string }

/** A scripted failure of deliveries to the outbox. */
export type ScriptedFailure = FailureFacts & {
  /** The target that fails, or `*` for all. */
  readonly target: string
  readonly error: string
  /** How many deliveries fail; null for all from now on, 0 for none. */
  readonly times: number | null
}

export type PostEffect = {
  readonly kind: 'post'
  readonly request: number
  readonly route: string
  /** Null if the post was rejected before its route was looked up. */
  readonly event: unknown
  readonly delivery_id: string | null
  readonly verdict: 'accepted' | 'ignored' | 'duplicate' | 'limited' | 'refused'
  /** Why the post was limited or rejected. */
  readonly reason: string | null
  /** The bound of unfinished requests that it met; absent for others. */
  readonly bound?: NonNullable<IncomingRequest['bound']>
  /** Absent where the edge knows no addresses. */
  readonly from?: Origin
}

/** An effect of a gateway. The edge emits the effects of a step in order. */
export type GatewayEffect =
  | {
      readonly kind: 'reply'
      readonly request: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** The result of a post to a route, for observers. */
  | PostEffect
  /** A run has begun, or has ended. */
  | { readonly kind: 'run'; readonly id: number; readonly run: AgentRun }
  /** An external agent must handle this run, and answer with its id. */
  | { readonly kind: 'ask'; readonly id: number; readonly run: AgentRun }
  /** Keep these facts together; with a number, report the outcome. */
  | { readonly kind: 'store'; readonly number: number | null; readonly facts: readonly Fact[] }
  /** Send this delivery, and report its end with its id. Not used with the outbox. */
  | { readonly kind: 'deliver'; readonly id: number; readonly delivery: Delivery }
  /** A delivery attempt has ended. Nothing is sent: observers of the gateway use it. */
  | {
      readonly kind: 'outbox'
      readonly id: number
      readonly entry: OutboxEntry
      /** The run whose answer it is; null for a direct delivery, and for a notice. */
      readonly runId: number | null
      readonly outcome: AttemptOutcome
      /** When the next attempt is due, in milliseconds since 1970; null without one. */
      readonly nextMs: number | null
    }
  /** A line for the log, without secrets. */
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warning' | 'error'
      readonly text: string
      /** What it is about, as data. */
      readonly fields?: Readonly<Record<string, unknown>>
    }
