// What a store keeps of accepted posts, so that they outlive the process: facts, never inputs, secrets or headers.

import type { finalStates } from '../../../spec/gateway/store.ts'
import type { AgentRun, Delivery } from './run.ts'

/** The destination of a text: the target with all details, or why it cannot be delivered. */
export type Destination = Pick<Delivery, 'target' | 'chat_id' | 'thread_id' | 'deliver_extra'> & {
  readonly fault: string | null
}

/** An accepted post whose run has not ended, as a store keeps it. */
export type StoredRun = Pick<
  AgentRun,
  'key' | 'delivery_id' | 'route' | 'event' | 'prompt' | 'skills' | 'payload'
> & {
  readonly place: Destination
  readonly isInOrder: boolean
  /** When it was accepted, in milliseconds since 1970. */
  readonly acceptedMs: number
  /** What the agent answered, and how far the delivery has come; null before that. */
  readonly answered: StoredAnswer | null
}

export type StoredAnswer = Pick<AgentRun, 'answer' | 'error' | 'is_silent'> & {
  /** The text to deliver. */
  readonly text: string
  readonly progress: Progress
}

/** How far a delivery has come. */
export type Progress = {
  /** The part of the text that is next, from 1: those before it have arrived. */
  readonly part: number
  /** The number of the next attempt, 1 for the first. */
  readonly attempt: number
  /** Whether the text goes out as plain text from now on. */
  readonly isPlain: boolean
  /** When it is due, in milliseconds since 1970. */
  readonly nextMs: number
}

export type FinalState = (typeof finalStates)[number]

export type Fact =
  /** A post counts for the limit of its route, unless that is reached. Only a shared store counts. */
  | { readonly kind: 'counted'; readonly route: string; readonly limit: number }
  /** A delivery id is new. A lease counts only while its owner lives. */
  | {
      readonly kind: 'id'
      readonly route: string
      readonly delivery_id: string
      readonly isLease: boolean
    }
  /** A run is accepted. `isKept` if this gateway will start it itself. */
  | { readonly kind: 'accepted'; readonly run: StoredRun; readonly isKept: boolean }
  | { readonly kind: 'begun'; readonly key: string }
  | { readonly kind: 'answered'; readonly key: string; readonly answered: StoredAnswer }
  /** A delivery attempt has ended, and another one follows: for the same part or the next. */
  | {
      readonly kind: 'attempt'
      readonly key: string
      readonly progress: Progress
      readonly error: string | null
    }
  | {
      readonly kind: 'ended'
      readonly key: string
      readonly state: FinalState
      readonly error: string | null
    }
  /** A direct delivery succeeded: its id is no longer a lease. */
  | { readonly kind: 'confirmed'; readonly route: string; readonly delivery_id: string }
  /** A direct delivery failed: its id is new again. */
  | { readonly kind: 'forgotten'; readonly route: string; readonly delivery_id: string }

/** How many runs of a route wait in the store, and their size in bytes. */
export type Backlog = { readonly route: string; readonly count: number; readonly bytes: number }

/** What a store says of facts: kept, known before, leased by another gateway, beyond the limit, or not kept. */
export type StoreOutcome = 'done' | 'duplicate' | 'leased' | 'limited' | 'lost' | 'failed'
