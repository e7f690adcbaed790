// Runs, as types: one that waits, the one that a worker is at, and one that is over.

import type { JsonObject } from '../../lib/json.ts'
import type { Timer } from '../../lib/timers.ts'
import type { RunMetadata } from './files.ts'
import type { NodeResult, NodeType, Value, Work } from './nodes.ts'

/** A submitted run that waits for its turn. */
export type Run = {
  readonly prompt_id: string
  /** Priority: the smallest runs first. */
  readonly number: number
  /** Priority as replies contain it: a client's number is a float. */
  readonly numberText: string
  /** Order of accepted submits from 0, which decides between equal numbers. */
  readonly serial: number
  /** The graph with coerced values, as JSON text. */
  readonly graphText: string
  /** The graph, or null where it is read again from its text when its turn comes. */
  graph: JsonObject | null
  /** extra_data as JSON text, without partner keys. */
  readonly extraDataText: string
  /** extra_data with the partner keys, for the quirk `local.queue-shows-partner-key` only; else the same text. */
  readonly shownExtraDataText: string
  readonly client_id: string | null
  /** Whether it came with a key that partner nodes take. */
  readonly hasPartnerKey: boolean
  /** Which saved workflow it is of, as a hosted client says; null where it does not. */
  readonly workflow_id: string | null
  /** Output nodes to execute. */
  readonly outputs: readonly string[]
  readonly submittedAtMs: number
  /** Set when accepting the run was a mistake of the server that ends it as soon as it starts (see errors.ts, poison). */
  readonly poison: string | null
  /** Set when the run was taken out of the queue before its turn. */
  deleted: boolean
}

/** The inputs of a node: each a list of at least one item. */
export type InputLists = ReadonlyMap<string, readonly Value[]>

/** The calls of one node: how many there are, which one is next, and what those before it gave. */
export type Calls = {
  readonly count: number
  at: number
  /** The items of each output. */
  readonly outputs: (readonly Value[])[]
  /** The outputs for the user as JSON texts. */
  readonly uis: string[]
  /** What the progress of the last call that had some counted up to. */
  max: number
}

export type NodeProgress = {
  readonly node_id: string
  /** JSON texts: floats for nodes without steps. */
  readonly value: string
  readonly max: string
}

/** Finished nodes never change again. */
export type Progress = {
  readonly prompt: string
  /** The type of each node, if progress messages contain it. */
  readonly types: ReadonlyMap<string, { readonly class_type: string }> | null
  readonly finished: NodeProgress[]
  current: NodeProgress | null
  /** Text of the first `written` finished nodes. */
  text: string
  written: number
  /** The members of the node under way that stay the same from step to step. */
  same: { readonly node_id: string; readonly text: string } | null
}

/** The run that a worker is at. */
export type Running = {
  readonly run: Run
  readonly worker: Worker
  /** Order in which runs began. */
  readonly serial: number
  /** When it began, in milliseconds of the world's time. */
  readonly startedMs: number
  /** The id of the run as JSON text. */
  readonly promptIdText: string
  /** The metadata for the pictures that it saves. */
  readonly savedBy: RunMetadata
  readonly graph: JsonObject
  readonly types: ReadonlyMap<string, NodeType>
  /** Content hash by node id. */
  readonly hashes: ReadonlyMap<string, number>
  /** Nodes to run in order; `at` is the next one, or the one under way while `work` is set. */
  readonly order: readonly string[]
  at: number
  work: Work | null
  inputs: InputLists
  /** The calls of the node under way; null before the first. */
  calls: Calls | null
  step: number
  /** Results of this run by node id. */
  readonly results: Map<string, NodeResult>
  /** Ids of the nodes that this run has really run. */
  readonly executed: string[]
  /** What the history keeps of the messages: pairs of type and data as JSON text. */
  readonly messages: string[]
  readonly progress: Progress
  /** The node last started, sent to a client that reconnects. */
  lastNode: string | null
}

/** What a server does by itself: the next thing of a worker, or the end of an installation. Worlds and workers by their index. */
export type TimerTarget =
  | { readonly kind: 'worker'; readonly world: number; readonly worker: number }
  | { readonly kind: 'install'; readonly world: number }

/** Takes one run after the other out of the queue. */
export type Worker = {
  running: Running | null
  /** Its place among the workers of its world. */
  readonly index: number
  /** When it does its next thing; null while it has nothing to do. */
  timer: Timer<TimerTarget> | null
  /** Whether its run is to stop at the next check point. */
  interrupted: boolean
  /** Whether the result cache is dropped before the next run. */
  dropCache: boolean
  /** A worker that a poison request has killed (quirk) takes no more runs. */
  dead: boolean
  /** Results of the nodes of its latest graph, by content hash. */
  cache: Map<number, NodeResult>
}

/** How a run ended and what it left. `messages` are pairs of type and data; outputs and meta are members, as JSON text. */
export type Ending = {
  readonly state: 'success' | 'error' | 'interrupted'
  readonly messages: readonly string[]
  readonly outputs: readonly string[]
  readonly meta: readonly string[]
  /** The error for the job detail of hosted; null without one, and on local. */
  readonly failure: string | null
  /** When the run began, in milliseconds of the world's time; null when it ended before. */
  readonly startedMs: number | null
}

/** A run that is over. What ends in `Text` is JSON. */
export type HistoryEntry = {
  readonly prompt_id: string
  /** Order of submits. */
  readonly serial: number
  readonly workflow_id: string | null
  readonly numberText: string
  /** A text of its own: the files that the run has saved share it. */
  readonly graphText: string
  readonly extraDataText: string
  /** Ids of the output nodes that were to be executed. */
  readonly targetsText: string
  readonly state: Ending['state']
  readonly outputsText: string
  readonly statusText: string
  readonly metaText: string
  /** `execution_error` of the job detail on hosted. */
  readonly failureText: string | null
  /** In milliseconds of the world's time, as those that follow. */
  readonly createdMs: number
  readonly startedMs: number | null
  readonly endedMs: number
  /** Whether a hosted history has dropped it; the job still exists. */
  isForgotten: boolean
}
