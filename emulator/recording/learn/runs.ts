// The runs of a recording: what was submitted, when each node ran, what came out of it, and how it ended.

import type { DecodedFrame } from '../../session/frames.ts'
import type { TracedExchange } from '../../session/exchanges.ts'
import type { TracedRun } from '../../session/runs.ts'
import type { Message } from '../../session/sockets.ts'
import type { Trace } from '../../session/trace.ts'
import { listOf, type Members, membersOf, nameOf } from '../../lib/loose.ts'

/** A node that ran: not one whose result was in the cache. */
export type LearnedNode = {
  readonly id: string
  readonly class_type: string
  readonly inputs: Members
  readonly startMs: number
  /** When the next node started or the run ended; null if neither was seen. */
  endMs: number | null
  /** Whether it started more than once, as one that waits for others: how long it takes cannot be seen. */
  startsAgain: boolean
  /** The times of its progress messages. */
  readonly stepsMs: number[]
  /** The format of its previews. */
  preview: 'jpeg' | 'png' | null
  output: Members | null
  failure: { readonly exception_type: string; readonly exception_message: string } | null
}

export type LearnedRun = {
  /** Its number among the accepted ones, from 1. */
  readonly number: number
  readonly prompt_id: string
  /** The body of the submit. */
  readonly text: string
  /** The submitted nodes by id. */
  readonly graph: Readonly<Record<string, Members>>
  readonly acceptedMs: number
  startMs: number | null
  /** When its first node started. */
  firstNodeMs: number | null
  /** Whether a run before it had not ended when it was submitted. */
  waits: boolean
  endedMs: number | null
  readonly nodes: Map<string, LearnedNode>
  cached: readonly string[]
  /** The output nodes of its workflow that the server names. */
  outputNodes: readonly string[]
}

/** A run of which the recording has the submit. */
type SubmittedRun = TracedRun & { readonly submit: TracedExchange }

const isSubmitted = (run: TracedRun): run is SubmittedRun =>
  run.submit !== undefined && run.submit.reply().error === undefined

/** The runs of a recording in order. `before` is how many runs other recordings had. */
export function runsIn(trace: Trace, before: number): readonly LearnedRun[] {
  const submitted = trace.runs
    .filter(isSubmitted)
    .toSorted((a, b) => a.submit.recorded.endMs - b.submit.recorded.endMs)
  const runs = new Map(
    submitted.map((run, at) => [run.prompt_id, learnedRun(run, before + at + 1)] as const),
  )
  /** The socket whose messages are read for a run: others can receive the same. */
  const sources = new Map<string, object>()
  /** The node that runs, by socket: a preview of the old form does not name it. */
  const current = new Map<object, LearnedNode>()
  const items = trace.sockets.flatMap((socket) => socket.items.map((item) => ({ socket, item })))
  for (const { socket, item } of items.toSorted((a, b) => a.item.atMs - b.item.atMs)) {
    const { message, frame, atMs } = item
    if (frame !== undefined) takeFrame(runs, current.get(socket), frame)
    const run = runs.get(nameOf(message?.data['prompt_id']))
    if (message === undefined || run === undefined || atMs < run.acceptedMs) continue
    const source = sources.get(run.prompt_id) ?? socket
    sources.set(run.prompt_id, source)
    const node = source === socket ? takeMessage(run, message, atMs) : undefined
    if (node !== undefined) current.set(socket, node)
  }
  for (const { prompt_id, entries } of submitted)
    for (const { entry } of entries) takeEntry(runs.get(prompt_id) as LearnedRun, entry)
  return noteWaits([...runs.values()])
}

/** Notes which runs were submitted before an earlier one had ended. */
function noteWaits(runs: readonly LearnedRun[]): readonly LearnedRun[] {
  for (const [at, run] of runs.entries())
    run.waits = runs.slice(0, at).some(({ endedMs }) => (endedMs ?? Infinity) >= run.acceptedMs)
  return runs
}

const learnedRun = (
  { prompt_id, submit, graph = {} }: SubmittedRun,
  number: number,
): LearnedRun => ({
  number,
  prompt_id,
  text: new TextDecoder().decode(submit.recorded.body),
  graph: Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, membersOf(node)])),
  acceptedMs: submit.recorded.endMs,
  startMs: null,
  firstNodeMs: null,
  waits: false,
  endedMs: null,
  nodes: new Map(),
  cached: [],
  outputNodes: [],
})

/** Takes what a message says of a run. Returns the node that it starts. */
function takeMessage(
  run: LearnedRun,
  { type, data }: Message,
  atMs: number,
): LearnedNode | undefined {
  const node = run.nodes.get(nameOf(data['node'] ?? data['node_id']))
  switch (type) {
    case 'execution_start':
      run.startMs ??= atMs
      break
    case 'execution_cached':
      run.cached = listOf(data['nodes']).map(nameOf)
      break
    case 'executing':
      return startNode(run, data['node'], atMs)
    case 'progress':
      node?.stepsMs.push(atMs)
      break
    case 'executed':
      if (node !== undefined) node.output ??= membersOf(data['output'])
      break
    case 'execution_success':
    case 'execution_error':
    case 'execution_interrupted':
      endNodes(run, atMs)
      run.endedMs ??= atMs
      if (type === 'execution_error' && node !== undefined) node.failure = failureIn(data)
      break
    default:
  }
  return undefined
}

function startNode(run: LearnedRun, node: unknown, atMs: number): LearnedNode | undefined {
  endNodes(run, atMs)
  if (typeof node !== 'string') return undefined
  run.firstNodeMs ??= atMs
  const known = run.nodes.get(node)
  const { class_type, inputs } = run.graph[node] ?? {}
  if (known !== undefined) {
    known.startsAgain = true
    return known
  }
  if (typeof class_type !== 'string') return undefined
  const started: LearnedNode = {
    id: node,
    class_type,
    inputs: membersOf(inputs),
    startMs: atMs,
    endMs: null,
    startsAgain: false,
    stepsMs: [],
    preview: null,
    output: null,
    failure: null,
  }
  run.nodes.set(node, started)
  return started
}

/** The node that started last ends when anything else of the run starts or ends. */
function endNodes(run: LearnedRun, atMs: number): void {
  const last = [...run.nodes.values()].at(-1)
  if (last !== undefined && run.endedMs === null) last.endMs ??= atMs
}

const failureIn = ({ exception_type, exception_message }: Members): LearnedNode['failure'] => ({
  exception_type: nameOf(exception_type),
  // A local server adds a line end to each message.
  exception_message: nameOf(exception_message).replace(/\n$/, ''),
})

const PNG = 2

/** Takes the format of a preview: of the form that names its node, or of that which does not. */
function takeFrame(
  runs: ReadonlyMap<string, LearnedRun>,
  current: LearnedNode | undefined,
  { frame, fields }: DecodedFrame,
): void {
  if (frame === 'previewImage' && current !== undefined)
    current.preview = fields['image_type'] === PNG ? 'png' : 'jpeg'
  if (frame !== 'previewWithMetadata') return
  const { node_id, prompt_id, image_type } = membersOf(fields['metadata'])
  const node = runs.get(nameOf(prompt_id))?.nodes.get(nameOf(node_id))
  if (node !== undefined) node.preview = image_type === 'image/png' ? 'png' : 'jpeg'
}

/** Takes what a history entry says beyond the messages: outputs, output nodes, failures. */
function takeEntry(run: LearnedRun, { prompt, outputs, status }: Members): void {
  const named = Array.isArray(prompt) ? prompt[4] : membersOf(prompt)['outputs_to_execute']
  const outputNodes = listOf(named).filter((node) => typeof node === 'string')
  if (outputNodes.length > 0) run.outputNodes = outputNodes
  for (const [node, output] of Object.entries(membersOf(outputs))) {
    const known = run.nodes.get(node)
    if (known !== undefined) known.output ??= membersOf(output)
  }
  for (const [type, data] of listOf(membersOf(status)['messages']).map(listOf)) {
    const node = run.nodes.get(nameOf(membersOf(data)['node_id']))
    if (type === 'execution_error' && node !== undefined)
      node.failure ??= failureIn(membersOf(data))
  }
}

/** A link of a workflow to an output of another node; undefined for any other value. */
export function linkOf(value: unknown): readonly [id: string, output: number] | undefined {
  const [id, output] = listOf(value)
  const isLink = listOf(value).length === 2 && typeof id === 'string' && Number.isInteger(output)
  return isLink ? [id, output as number] : undefined
}
