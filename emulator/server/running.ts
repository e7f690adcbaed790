// The run that a worker is at, and how it tells its client what happens.

import type { MessageType } from '../../spec/messages.ts'
import type { JsonObject } from '../json.ts'
import type { NodeType } from './catalog.ts'
import { send, socketsFor } from './messages.ts'
import type { SavedBy } from './files.ts'
import type { Calls, Lists } from './lists.ts'
import type { NodeResult, Work } from './nodes.ts'
import type { Progress } from './progress.ts'
import { type Run, timestamp, type Worker, type World } from './world.ts'

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
  /** What the pictures that it saves tell of it. */
  readonly savedBy: SavedBy
  readonly graph: JsonObject
  readonly types: ReadonlyMap<string, NodeType>
  /** Content hash by node id. */
  readonly hashes: ReadonlyMap<string, number>
  /** Nodes to run in order; `at` is the next one, or the one under way while `work` is set. */
  readonly order: readonly string[]
  at: number
  work: Work | null
  inputs: Lists
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
  /** The node last started, which a client that reconnects is told. */
  lastNode: string | null
}

/** The result of a node, of this run or of an earlier one. */
export const resultOf = (
  { results, worker, hashes }: Running,
  id: string,
): NodeResult | undefined => results.get(id) ?? worker.cache.get(hashes.get(id) ?? NaN)

/** Tells the client something in words. */
export function notify(world: World, running: Running, value: string): void {
  // On hosted the messages of all runs of an account mix: each names its run [messages/hosted-names-run].
  const run = world.hosted === null ? '' : `, "prompt_id": ${running.promptIdText}`
  tell(world, running, 'notification', () => `{"value": ${JSON.stringify(value)}${run}}`)
}

/** Message types that the history keeps. */
const kept: ReadonlySet<MessageType> = new Set<MessageType>([
  'execution_start',
  'execution_cached',
  'execution_success',
  'execution_error',
  'execution_interrupted',
])

/** Sends a message of the run to those who receive it, and keeps it for the history where that wants it. */
export function tell(
  world: World,
  running: Running,
  type: MessageType,
  dataOf: () => string,
): void {
  const sockets = socketsFor(world, type, running.run.client_id)
  const isKept = kept.has(type)
  // A message that nobody receives is not even written.
  if (sockets.length === 0 && !isKept) return
  const data = dataOf()
  send(world, sockets, type, data)
  if (isKept) running.messages.push(`["${type}", ${data}]`)
}

/** The members that all messages about a whole run share, up to the closing brace. */
export const members = (world: World, run: Run): string =>
  `"prompt_id": ${JSON.stringify(run.prompt_id)}, "timestamp": ${timestamp(world)}}`
/** The data of messages that say no more than which run, and when. */
export const idAndTime = (world: World, run: Run): string => `{${members(world, run)}`
