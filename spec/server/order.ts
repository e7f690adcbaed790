// The order in which one run sends its messages: a state machine as data, for each deployment.

import type { Deployment } from '../language.ts'
import type { MessageType } from './messages.ts'

/**
 * `executing_null` is `executing` with node null. The order leaves out the `executing` of a reconnect, without
 * `prompt_id`, and messages about no run. On hosted a socket that opens during a run receives it from there on.
 */
export type Kind = Exclude<MessageType, 'feature_flags' | 'logs'> | 'executing_null'
export type State =
  | 'queued'
  | 'started'
  | 'between'
  | 'announced'
  | 'inside'
  | 'reported'
  | 'shown'
  | 'ended'
  | 'over'
export type Order = {
  readonly first: State
  readonly last: readonly State[]
  readonly next: Readonly<Record<State, Partial<Readonly<Record<Kind, State>>>>>
}

// Once a run has started, both deployments walk through these states in the same way.
const started = {
  started: {
    status: 'started',
    notification: 'started',
    execution_cached: 'between',
    execution_error: 'ended',
    execution_interrupted: 'ended',
  },
  between: {
    status: 'between',
    notification: 'between',
    progress_state: 'announced',
    executed: 'shown',
    execution_success: 'ended',
    execution_error: 'ended',
    execution_interrupted: 'ended',
  },
  announced: { status: 'announced', notification: 'announced', executing: 'inside' },
  inside: {
    status: 'inside',
    notification: 'inside',
    progress_state: 'reported',
    executed: 'shown',
    execution_error: 'ended',
    execution_interrupted: 'ended',
  },
  reported: {
    status: 'reported',
    notification: 'reported',
    progress: 'inside',
    progress_state: 'announced',
    executing: 'inside',
    executed: 'shown',
    execution_success: 'ended',
    execution_error: 'ended',
    execution_interrupted: 'ended',
  },
  shown: { status: 'shown', notification: 'shown', progress_state: 'between' },
} as const

/** The messages of one run as its own client receives them: every path leads from `first` to a state of `last`. */
export const order = {
  local: {
    first: 'queued',
    last: ['over'],
    next: {
      queued: { status: 'queued', execution_start: 'started' },
      ...started,
      ended: { status: 'ended', executing_null: 'over' },
      over: { status: 'over' },
    },
  },
  hosted: {
    first: 'queued',
    last: ['ended'],
    next: {
      queued: {
        status: 'queued',
        execution_start: 'started',
        execution_interrupted: 'ended',
      },
      ...started,
      ended: { status: 'ended' },
      over: {},
    },
  },
} as const satisfies Record<Deployment, Order>
