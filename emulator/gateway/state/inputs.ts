// The inputs and effects of a webhook gateway: plain data, the same behind every edge.

import type { deliveryStates } from '../../../spec/gateway/deliveries.ts'
import type { IncomingRequest, WorldChange } from '../../machine.ts'
import type { Origin } from '../post/origin.ts'

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
  /** Makes deliveries to the outbox fail from now on. */
  | ({ readonly kind: 'fail'; readonly atMs: number } & ScriptedFailure)
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

/** An agent run. `payload` is JSON text, which preserves numbers and the order of members. */
export type AgentRun = {
  /** Names the accepted post, also after a restart: the agent and receivers recognise a repeat by it. */
  readonly key: string
  readonly delivery_id: string
  readonly route: string
  readonly event: unknown
  readonly prompt: string
  readonly skills: readonly string[]
  readonly payload: string
  readonly chat_id: string
  readonly session_key: string
  readonly status: 'running' | 'completed' | 'failed'
  readonly answer: string | null
  readonly is_silent: boolean
  readonly error: string | null
  /** What becomes of its answer; the effects of attempts say it once the run has ended. */
  readonly delivery: (typeof deliveryStates)[number]
}

/** The content of a delivery. */
export type Delivery = {
  /** That of the accepted post; each further part adds its number. */
  readonly key: string
  /** Which part of the text this is, from 1, and of how many. */
  readonly part: number
  readonly parts: number
  readonly target: string
  readonly chat_id: string | number | null
  readonly thread_id: string | number | null
  readonly text: string
  readonly route: string
  readonly event: unknown
  readonly delivery_id: string
  /** With repository and number, if the target is a comment. */
  readonly deliver_extra: Readonly<Record<string, unknown>>
  /** 1 for the first attempt. */
  readonly attempt: number
}

/**
 * What an attempt makes of a delivery: a part is `confirmed` and another one follows, all is `delivered`, it `failed` and
 * is `retried`, or the answer is `dead`. A direct delivery that failed is the sender's to retry. A notice about a dead
 * answer is only `noticed`, whether it arrived or not.
 */
export type AttemptOutcome = 'confirmed' | 'delivered' | 'retried' | 'dead' | 'failed' | 'noticed'

/** A finished delivery attempt. */
export type OutboxEntry = Delivery & {
  readonly status: 'delivered' | 'failed'
  readonly error: string | null
  /** When it ended, in milliseconds since 1970. */
  readonly timestamp: number
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
