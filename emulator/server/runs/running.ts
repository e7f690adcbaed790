// Creates the run in progress on a worker, and sends its messages.

import type { MessageType } from '../../../spec/server/messages.ts'
import { isObject, type Json, type JsonObject, readJson } from '../../lib/json.ts'
import { nodeTypes, passThrough } from '../nodes/catalog.ts'
import { dependsOn, fingerprintsOf } from './fingerprints.ts'
import { typeFor } from '../graph/dynamic-inputs.ts'
import { createSchedule } from '../graph/schedule.ts'
import { contentHashes } from '../graph/content-hashes.ts'
import { send, socketsFor } from '../world/sockets.ts'
import { isLazyInput } from './lazy-inputs.ts'
import { isCached } from './result-cache.ts'
import { createProgress } from './progress.ts'
import { pythonText } from '../../lib/python.ts'
import { timestamp } from '../world/derived.ts'
import type { NodeType } from '../state/nodes.ts'
import type { Fingerprints } from '../state/files.ts'
import type { Effect } from '../../machine.ts'
import type { Origin, Run, Running, Worker } from '../state/runs.ts'
import type { WorldOptions } from '../state/options.ts'
import type { World } from '../state/world.ts'

/** What follows from the graph of a run alone. */
export type Preparation = Pick<Running, 'graph' | 'types' | 'hashes'> & {
  readonly fingerprints: Fingerprints
}

/** Reads the graph of a run, and what follows from it. */
export function prepare(world: World, run: Run): Preparation {
  const graph = run.graph ?? (readJson(run.graphText) as JsonObject)
  const types = typesOf(world, graph)
  const fingerprints = fingerprintsOf(world, run, graph, types)
  const { spell } = world.setup
  const holdsSecret = spell(run.graphText) !== run.graphText
  const depends = dependsOn(world, run, graph, fingerprints)
  const hashes = contentHashes(graph, types, depends, holdsSecret ? spell : null)
  return { graph, types, fingerprints, hashes }
}

/** The types of the nodes in a graph. */
export function typesOf(world: World, graph: JsonObject): Map<string, NodeType> {
  const known = nodeTypes(world)
  const types = new Map<string, NodeType>()
  for (const [id, node] of graph) {
    const class_type = isObject(node) ? pythonText(node.get('class_type') ?? null) : ''
    const type = known.get(class_type) ?? passThrough(class_type, false)
    types.set(id, typeFor(type, isObject(node) ? node.get('inputs') : undefined))
  }
  return types
}

/** A run that begins now. Without `runsNodes` it runs none. */
export function createRunning(
  world: World,
  worker: Worker,
  run: Run,
  { graph, types, fingerprints, hashes }: Preparation,
  runsNodes: boolean,
): Running {
  const isDone = (id: string): boolean => isCached(worker, hashes, id)
  const isLazy = (id: string, input: string): boolean => isLazyInput(world, run, types, id, input)
  return {
    run,
    worker,
    serial: world.state.startedCount,
    startedMs: world.state.nowMs,
    promptIdText: JSON.stringify(run.prompt_id),
    savedBy: { graphText: run.graphText, extraDataText: run.extraDataText, fingerprints },
    graph,
    types,
    hashes,
    schedule: createSchedule({ graph, types, isDone, isLazy }, runsNodes ? run.outputs : []),
    current: null,
    expansion: null,
    work: null,
    script: null,
    inputs: new Map(),
    calls: null,
    waits: null,
    step: 0,
    reported: { step: 0, atMs: 0 },
    preview: previewFormatOf(world, run),
    results: new Map(),
    executed: [],
    messages: [],
    progress: createProgress(run.prompt_id, world.setup.traits.progressHasTypes ? types : null),
    lastNode: null,
  }
}

/** What `preview_method` in extra_data stands for: a format, no previews, or the default of the server. */
const previewMethods: ReadonlyMap<Json, WorldOptions['preview']> = new Map([
  ['none', 'none'],
  ['auto', 'jpeg'],
  ['latent2rgb', 'jpeg'],
  ['taesd', 'jpeg'],
] as const)

/** The format of the previews of a run [frames/preview-method]. */
function previewFormatOf({ setup: { options, traits } }: World, run: Run): WorldOptions['preview'] {
  if (!traits.takesPreviewMethod || !run.extraDataText.includes('"preview_method"'))
    return options.preview
  const extra = readJson(run.extraDataText)
  const method = isObject(extra) ? extra.get('preview_method') : undefined
  return previewMethods.get(method ?? null) ?? options.preview
}

/** Sends the client a text notification. */
export function sendNotification(world: World, running: Running, value: string): void {
  // Where the messages of all runs mix, each names its run [messages/hosted-names-run].
  const { sharesMessages } = world.setup.traits
  const run = sharesMessages ? `, "prompt_id": ${running.promptIdText}` : ''
  sendForRun(world, running, 'notification', () => `{"value": ${JSON.stringify(value)}${run}}`)
}

/** Message types that the history keeps. */
const kept: ReadonlySet<MessageType> = new Set<MessageType>([
  'execution_start',
  'execution_cached',
  'execution_success',
  'execution_error',
  'execution_interrupted',
])

/** Sends a message of the run to its recipients, and stores it for the history if needed. */
export function sendForRun(
  world: World,
  running: Running,
  type: MessageType,
  dataOf: () => string,
): void {
  const sockets = socketsFor(world, type, running.run.client_id)
  const isKept = kept.has(type)
  // A message without recipients is not even written.
  if (sockets.length === 0 && !isKept) return
  const data = dataOf()
  send(world, sockets, type, data)
  if (isKept) running.messages.push(`["${type}", ${data}]`)
}

/** Reports to observers that a node begins or ends, whether or not a client listens. */
export function noteNode(
  { effects }: World,
  { run: { prompt_id } }: Running,
  node_id: string,
  state: NodeState,
  error?: string,
): void {
  effects.push(
    error === undefined
      ? { kind: 'node', prompt_id, node_id, state }
      : { kind: 'node', prompt_id, node_id, state, error },
  )
}

type NodeState = Extract<Effect, { kind: 'node' }>['state']

/** The members that all messages about a whole run share, up to the closing brace. */
export const members = (world: World, { promptIdText }: Running): string =>
  `"prompt_id": ${promptIdText}, "timestamp": ${timestamp(world)}}`

/** The data of messages that contain only the run and the time. */
export const idAndTime = (world: World, running: Running): string => `{${members(world, running)}`

/** Where a node comes from: nodes of the submitted graph from themselves, without a parent. */
export const originOf = (
  { expansion }: Running,
  id: string,
): Omit<Origin, 'parent'> & { readonly parent: string | null } =>
  expansion?.origins.get(id) ?? { parent: null, display: id, real: id }
