// What goes into a webhook gateway and what comes out: plain data, the same behind every edge.

import type { Headers } from '../machine.ts'

/** Something that happens to a gateway. `atMs` is its time in milliseconds since its start. */
export type GatewayInput =
  | {
      readonly kind: 'request'
      readonly atMs: number
      /** Chosen by the edge; the reply carries it back. */
      readonly request: number
      readonly method: string
      /** Path and query as they stand in the request line. */
      readonly target: string
      /** Each value is the first one of its name; a character stands for a byte. */
      readonly headers: Headers
      readonly body: Uint8Array
      /** Why the body is not here: it is above the limit, or did not come to its end. */
      readonly fault?: 'tooLarge' | 'unreadable' | undefined
    }
  /** The subscriptions file is another one than before: its text, or null where there is none. */
  | {
      readonly kind: 'file'
      readonly atMs: number
      readonly text: string | null
      /** When it was modified, in milliseconds since 1970. */
      readonly modifiedMs: number
    }
  /** An agent that is not the scripted one is done with a run: with an answer, or with the reason why there is none. */
  | {
      readonly kind: 'answered'
      readonly atMs: number
      readonly run: number
      readonly answer: string
      readonly error: string | null
    }
  /** A delivery that was sent has ended: well, or with an error. */
  | {
      readonly kind: 'delivered'
      readonly atMs: number
      readonly delivery: number
      readonly error: string | null
    }
  /** From now on deliveries into the outbox fail. */
  | ({ readonly kind: 'fail'; readonly atMs: number } & ScriptedFailure)
  /** Time passes. Whatever was due until `atMs` happens. */
  | { readonly kind: 'wake'; readonly atMs: number }

/** A failure of deliveries into the outbox. */
export type ScriptedFailure = {
  /** The target that fails, or `*` for each. */
  readonly target: string
  readonly error: string
  /** How many deliveries fail; null for all from now on, 0 for none any more. */
  readonly times: number | null
}

/** An agent run. `payload` is JSON text, since numbers and the order of members are to stay as they came. */
export type AgentRun = {
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
}

/** What a delivery consists of. */
export type Delivery = {
  readonly target: string
  readonly chat_id: string | number | null
  readonly thread_id: string | number | null
  readonly text: string
  readonly route: string
  readonly event: unknown
  readonly delivery_id: string
  /** With repository and number, where the target is a comment. */
  readonly deliver_extra: Readonly<Record<string, unknown>>
  /** 1 for the first attempt. */
  readonly attempt: number
}

/** An attempt to deliver that is over. */
export type OutboxEntry = Delivery & {
  readonly status: 'delivered' | 'failed'
  readonly error: string | null
  /** When it was over, in milliseconds since 1970. */
  readonly timestamp: number
}

export type PostEffect = {
  readonly kind: 'post'
  readonly request: number
  readonly route: string
  /** Null where the post was refused before anybody looked for it. */
  readonly event: unknown
  readonly delivery_id: string | null
  readonly verdict: 'accepted' | 'ignored' | 'duplicate' | 'limited' | 'refused'
  /** Why it was limited or refused. */
  readonly reason: string | null
}

/** Something that a gateway does. The edge carries the effects of a step out in their order. */
export type GatewayEffect =
  | {
      readonly kind: 'reply'
      readonly request: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** What became of a post to a route, for those who watch. */
  | PostEffect
  /** A run has begun, or has ended. */
  | { readonly kind: 'run'; readonly id: number; readonly run: AgentRun }
  /** An agent that is not the scripted one has to take a run now, and to answer with its number. */
  | { readonly kind: 'ask'; readonly id: number; readonly run: AgentRun }
  /** A delivery is to be sent, and its end to be reported with its number. There is none where the outbox takes them. */
  | { readonly kind: 'deliver'; readonly id: number; readonly delivery: Delivery }
  /** An attempt to deliver is over. Nothing is sent for it: it is for those who watch. */
  | { readonly kind: 'outbox'; readonly id: number; readonly entry: OutboxEntry }
  /** A line for the log, without secrets. */
  | { readonly kind: 'log'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
