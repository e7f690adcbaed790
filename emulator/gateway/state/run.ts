// Agent runs and deliveries, as the gateway lists them.

import type { deliveryStates } from '../../../spec/gateway/deliveries.ts'

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
