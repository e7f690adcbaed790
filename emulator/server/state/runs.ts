// The types of runs: pending, running and finished.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import type { RequestMatch } from '../../../spec/scenario/requests.ts'
import type { RunRule } from '../../../spec/scenario/runs.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { Effect } from '../../machine.ts'
import type { Timer } from '../../lib/timers.ts'
import type { FaultTimer } from './faults.ts'
import type { RunMetadata } from './files.ts'
import type { WorldOptions } from './options.ts'
import type { NodeResult, NodeType, Value, Work } from './nodes.ts'

/** A submitted run that is pending. */
export type Run = {
  readonly prompt_id: string
  /** Priority: the smallest runs first. */
  readonly number: number
  /** Priority as replies contain it: a client's number is a float. */
  readonly numberText: string
  /** Order of accepted submits from 0, which decides between equal numbers. */
  readonly serial: number
  /** The graph with converted values, as JSON text. */
  readonly graphText: string
  /** The graph, or null if it is parsed again from its text when the run starts. */
  graph: JsonObject | null
  /** extra_data as JSON text, without partner keys. */
  readonly extraDataText: string
  /** extra_data with the partner keys, for the quirk `local.queue-shows-partner-key` only; else the same text. */
  readonly shownExtraDataText: string
  readonly client_id: string | null
  /** Whether it was submitted with a key that partner nodes accept. */
  readonly hasPartnerKey: boolean
  /** The saved workflow of the run, as a hosted client names it; null if it does not. */
  readonly workflow_id: string | null
  /** Output nodes to execute. */
  readonly outputs: readonly string[]
  readonly submittedAtMs: number
  /** Set if the real server accepts the run by mistake and fails it when it starts (see errors.ts, poison). */
  readonly poison: string | null
  /** What the run rules of the scenario said of it when it was accepted; null for nothing. */
  readonly script: RunRule | null
  /** Set if the run was removed from the queue before it started. */
  deleted: boolean
}

/** The inputs of a node, each a non-empty list of items. */
export type InputLists = ReadonlyMap<string, readonly Value[]>

/** The calls of one node: their number, the next one, and the results of earlier ones. */
export type Calls = {
  readonly count: number
  at: number
  /** The items of each output. */
  readonly outputs: (readonly Value[])[]
  /** The outputs for the user as JSON texts. */
  readonly uis: string[]
  /** The maximum of the last call that reported progress. */
  max: number
  /** The results by call, of a node that can expand; null for other nodes, whose results are joined call by call. */
  readonly parts: CallPart[] | null
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
  /** The text of the first `written` finished nodes. */
  text: string
  written: number
  /** The members of the current node that stay the same from step to step. */
  same: { readonly node_id: string; readonly text: string } | null
  /**
   * All nodes in the order of their first start, once a node has been paused: it comes before nodes that finish earlier.
   * Null before.
   */
  all: Map<string, NodeProgress & { isFinished: boolean }> | null
  /** Where the nodes of expansions come from. */
  origins: ReadonlyMap<string, Origin> | null
}

/** A node that has not finished. */
export type ScheduledNode = {
  readonly id: string
  /** Its place among all nodes, in the order in which they were found to be needed. */
  readonly place: number
  /** Its distance to an output, known once it is ready. */
  rank: number
  /** The nodes that have to finish first. */
  readonly sources: Set<string>
  /** The nodes that wait for it. */
  readonly feeds: string[]
}

/** The nodes that a run still has to finish. */
export type Schedule = {
  readonly pending: Map<string, ScheduledNode>
  /** Those without unfinished sources, as a heap. */
  readonly ready: ScheduledNode[]
  nextPlace: number
}

/** Where a node of an expansion comes from. */
export type Origin = {
  /** The node that expanded into it. */
  readonly parent: string
  /** The node that displays it, of the submitted graph unless the expansion names another. */
  readonly display: string
  /** The node of the submitted graph. */
  readonly real: string
}

/** A part of the result of a call: its outputs, or what they will be once the nodes of its expansion have finished. */
export type CallPart = { readonly work: Work } | { readonly results: readonly (Link | Value)[] }

/** A link to an output of another node. */
export type Link = { readonly source: string; readonly index: number }

/** What the nodes of a run have expanded into. */
export type Expansion = {
  readonly origins: Map<string, Origin>
  /** Inputs of these nodes that are values, not links or literals. */
  readonly given: Map<string, ReadonlyMap<string, readonly Value[]>>
  /** The calls of the nodes that wait for their expansion. */
  readonly waiting: Map<string, Calls>
}

/** The run on a worker. */
export type Running = {
  readonly run: Run
  readonly worker: Worker
  /** The order in which runs began. */
  readonly serial: number
  /** When it began, in milliseconds of the world's time. */
  readonly startedMs: number
  /** The id of the run as JSON text. */
  readonly promptIdText: string
  /** The metadata for the pictures that it saves. */
  readonly savedBy: RunMetadata
  readonly graph: JsonObject
  readonly types: Map<string, NodeType>
  /** Content hash by node id. */
  readonly hashes: Map<string, number>
  /** The nodes that nodes have expanded into; null without any. They are in the graph, too. */
  expansion: Expansion | null
  /** The nodes to run. */
  readonly schedule: Schedule
  /** The current node while `work` is set; null between two nodes. */
  current: string | null
  work: Work | null
  /** What the node rules say of the current node; null for nothing. */
  script: NodeRule | null
  inputs: InputLists
  /** The calls of the current node; null before the first. */
  calls: Calls | null
  /** The request for which the current node waits; null for none. */
  waits: RequestMatch | null
  step: number
  /** The format of its previews, or none. */
  readonly preview: WorldOptions['preview']
  /** The last step that sent progress, and when. */
  reported: { readonly step: number; readonly atMs: number }
  /** Results of this run by node id. */
  readonly results: Map<string, NodeResult>
  /** The ids of the nodes that this run executed. */
  readonly executed: string[]
  /** The messages for the history: pairs of type and data as JSON text. */
  readonly messages: string[]
  readonly progress: Progress
  /** The node last started, sent to a client that reconnects. */
  lastNode: string | null
}

/**
 * What a timer triggers: the expiry of a waiting run, a worker, the end of an installation, a late message, a comment in a
 * silent stream, a message of the scenario, a step of a task, a fault, or
 * nothing but that time passes until then. Worlds and workers by their index.
 */
export type TimerTarget =
  | { readonly kind: 'worker'; readonly world: number; readonly worker: number }
  | { readonly kind: 'install'; readonly world: number }
  | { readonly kind: 'late'; readonly world: number; readonly effect: LateEffect }
  | { readonly kind: 'pause'; readonly world: number }
  | { readonly kind: 'expiry'; readonly world: number; readonly prompt_id: string }
  | { readonly kind: 'task'; readonly world: number; readonly task: string }
  | { readonly kind: 'silence'; readonly world: number; readonly request: number }
  | { readonly kind: 'router'; readonly world: number; readonly call: string }
  | { readonly kind: 'chatter'; readonly world: number; readonly message: number }
  | FaultTimer

/** A message or a frame that is sent later than it was made. */
export type LateEffect = Extract<Effect, { kind: 'send' | 'frame' }>

/** Executes one run after the other from the queue. */
export type Worker = {
  running: Running | null
  /** Its index among the workers of its world. */
  readonly index: number
  /** When it continues; null while it is idle. */
  timer: Timer<TimerTarget> | null
  /** Whether its run is to stop at the next check point. */
  interrupted: boolean
  /** Whether to clear the result cache before the next run. */
  dropCache: boolean
  /** A worker that a poison request has killed (quirk) executes no more runs. */
  dead: boolean
  /** The results of its latest graph, by content hash; with those of earlier ones, where a node has to end first. */
  cache: Map<number, NodeResult>
}

/**
 * How a run ended, and its results. `messages` are pairs of type and data; outputs and meta are members, as JSON text.
 */
export type Ending = {
  readonly state: 'success' | 'error' | 'interrupted'
  readonly messages: readonly string[]
  readonly outputs: readonly string[]
  readonly meta: readonly string[]
  /** The error for the job detail of hosted; null without one, and on local. */
  readonly failure: string | null
  /** When the run began, in milliseconds of the world's time; null if it ended before. */
  readonly startedMs: number | null
}

/** A finished run. Members whose names end in `Text` are JSON. */
export type HistoryEntry = {
  readonly prompt_id: string
  /** The order of submits. */
  readonly serial: number
  readonly workflow_id: string | null
  readonly numberText: string
  /** A separate string: the files that the run has saved share it. */
  readonly graphText: string
  readonly extraDataText: string
  /** The ids of the requested output nodes. */
  readonly targetsText: string
  readonly state: Ending['state']
  readonly outputsText: string
  readonly statusText: string
  readonly metaText: string
  /** `execution_error` of the job detail on hosted. */
  readonly failureText: string | null
  /** In milliseconds of the world's time, like the following members. */
  readonly createdMs: number
  readonly startedMs: number | null
  readonly endedMs: number
  /** When the history lists it, and when the jobs know its end: later than its end if the records lag. */
  readonly historyMs: number
  readonly jobMs: number
  /** How many requests still miss it in the history, and how many still find its job in progress. */
  historyPolls: number
  jobPolls: number
  /** Whether it was removed from a hosted history; the job still exists. */
  isForgotten: boolean
}
