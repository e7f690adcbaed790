// The runs of a recording: what was submitted, when each node ran, what came out of it, and how it ended.

import { endings, type RunState } from '../../journal/run-states.ts'
import { eventsOf, type Recording } from '../recording.ts'
import { type Answered, answeredIn, answeredOf } from './requests.ts'
import { jsonOf, listOf, type Members, membersOf, textOf } from './values.ts'

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
  /** The submitted nodes by id. */
  readonly graph: Readonly<Record<string, Members>>
  readonly acceptedMs: number
  startMs: number | null
  /** When its first node started. */
  firstNodeMs: number | null
  /** Whether a run before it had not ended when it was submitted. */
  readonly waits: boolean
  readonly nodes: Map<string, LearnedNode>
  cached: readonly string[]
  ended: Exclude<RunState, 'started'> | null
  /** The output nodes of its workflow that the server names. */
  outputNodes: readonly string[]
}

/** The runs of a recording in order. `before` is how many runs other recordings had. */
export function runsIn(recording: Recording, before: number): readonly LearnedRun[] {
  const runs = new Map<string, LearnedRun>()
  /** The socket whose messages are read for a run: others can receive the same. */
  const sources = new Map<string, number>()
  /** The node that runs, by socket: a preview of the old form does not name it. */
  const current = new Map<number, LearnedNode>()
  for (const event of eventsOf(recording)) {
    if (event.kind === 'response') {
      const exchange = recording.exchanges[event.exchange]
      const run = exchange && accepted(answeredOf(exchange), [...runs.values()], before)
      if (run !== undefined && !runs.has(run.prompt_id)) runs.set(run.prompt_id, run)
    } else if (event.kind === 'message' && event.message.from === 'server') {
      const { data } = event.message
      if (typeof data !== 'string') {
        takeFrame(runs, current.get(event.socket), data)
        continue
      }
      const message = membersOf(jsonOf(data))
      const run = runs.get(textOf(membersOf(message['data'])['prompt_id']))
      if (run === undefined) continue
      const source = sources.get(run.prompt_id) ?? event.socket
      sources.set(run.prompt_id, source)
      if (source !== event.socket) continue
      const node = takeMessage(run, message, event.atMs)
      if (node !== undefined) current.set(event.socket, node)
    }
  }
  const answered = answeredIn(recording)
  for (const one of answered) takeHistory(runs, one)
  return [...runs.values()]
}

/** The run that a submit created. */
function accepted(
  one: Answered,
  known: readonly LearnedRun[],
  before: number,
): LearnedRun | undefined {
  if (one.method !== 'POST' || one.path !== '/prompt' || one.status !== 200) return undefined
  const { prompt_id, error } = membersOf(one.received())
  const graph = membersOf(one.sent()['prompt'])
  if (typeof prompt_id !== 'string' || error !== undefined) return undefined
  return {
    number: before + known.length + 1,
    prompt_id,
    graph: Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, membersOf(node)])),
    acceptedMs: one.endMs,
    startMs: null,
    firstNodeMs: null,
    waits: known.some(({ ended }) => ended === null),
    nodes: new Map(),
    cached: [],
    ended: null,
    outputNodes: [],
  }
}

/** Takes what a message says of a run. Returns the node that it starts. */
function takeMessage(run: LearnedRun, message: Members, atMs: number): LearnedNode | undefined {
  const data = membersOf(message['data'])
  const id = textOf(data['node'] ?? data['node_id'])
  const node = run.nodes.get(id)
  switch (message['type']) {
    case 'execution_start':
      run.startMs ??= atMs
      break
    case 'execution_cached':
      run.cached = listOf(data['nodes']).map(textOf)
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
      run.ended ??= endings[message['type']]
      if (message['type'] === 'execution_error' && node !== undefined)
        node.failure = failureIn(data)
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
  if (last !== undefined && run.ended === null) last.endMs ??= atMs
}

const failureIn = ({ exception_type, exception_message }: Members): LearnedNode['failure'] => ({
  exception_type: textOf(exception_type),
  // A local server adds a line end to each message.
  exception_message: textOf(exception_message).replace(/\n$/, ''),
})

const OLD_PREVIEW = 1
const PREVIEW = 4
const HEAD = 8

/** Takes the format of a preview: of the form that names its node, or of that which does not. */
function takeFrame(
  runs: ReadonlyMap<string, LearnedRun>,
  current: LearnedNode | undefined,
  bytes: Uint8Array,
): void {
  if (bytes.length < HEAD) return
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [type, second] = [view.getUint32(0), view.getUint32(4)]
  if (type === OLD_PREVIEW && current !== undefined) current.preview = second === 2 ? 'png' : 'jpeg'
  if (type !== PREVIEW) return
  const { node_id, prompt_id, image_type } = membersOf(jsonOf(bytes.subarray(HEAD, HEAD + second)))
  const node = runs.get(textOf(prompt_id))?.nodes.get(textOf(node_id))
  if (node !== undefined) node.preview = image_type === 'image/png' ? 'png' : 'jpeg'
}

/** Takes what history entries say beyond the messages: outputs, output nodes, failures. */
function takeHistory(runs: ReadonlyMap<string, LearnedRun>, one: Answered): void {
  if (one.method !== 'GET' || one.status !== 200 || !one.path.startsWith('/history')) return
  for (const [id, entry] of historyIn(one.received())) {
    const run = runs.get(id)
    if (run === undefined) continue
    const { prompt } = entry
    const named = Array.isArray(prompt) ? prompt[4] : membersOf(prompt)['outputs_to_execute']
    const outputNodes = listOf(named).filter((node) => typeof node === 'string')
    if (outputNodes.length > 0) run.outputNodes = outputNodes
    for (const [node, output] of Object.entries(membersOf(entry['outputs']))) {
      const known = run.nodes.get(node)
      if (known !== undefined) known.output ??= membersOf(output)
    }
    for (const [type, data] of listOf(membersOf(entry['status'])['messages']).map(listOf)) {
      const node = run.nodes.get(textOf(membersOf(data)['node_id']))
      if (type === 'execution_error' && node !== undefined)
        node.failure ??= failureIn(membersOf(data))
    }
  }
}

/** The entries of a history reply of either deployment, by run. */
export const historyIn = (reply: unknown): readonly (readonly [id: string, entry: Members])[] => {
  const { history, ...entries } = membersOf(reply)
  return Array.isArray(history)
    ? history.map((one: unknown) => [textOf(membersOf(one)['prompt_id']), membersOf(one)] as const)
    : Object.entries(entries).map(([id, entry]) => [id, membersOf(entry)] as const)
}
