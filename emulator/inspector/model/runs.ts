// The runs of a session: when each waited, began and ended, what each of its nodes did, and the pictures on its way.

import { membersOf, textOf, type Members, valueOf } from '../../lib/loose.ts'
import type { Earlier, Entry } from './journal.ts'
import { bodyOf, type Request } from './requests.ts'

export type NodeState = 'running' | 'cached' | 'success' | 'error' | 'interrupted' | 'waiting'

export type RunNode = {
  readonly id: string
  readonly title: string
  readonly type: string
  /** As the client has sent them. */
  readonly inputs: Members
  state: NodeState
  from: number | null
  to: number | null
  /** The entries with its begin and its end. */
  entry: number | null
  endEntry: number | null
  /** Why it failed, */
  reason: string | null
  /** and the data of the message that says so. */
  error: Members | null
  /** What it returned to the client. */
  output: unknown
  /** Its latest step and their number. */
  step: readonly [value: number, max: number] | null
}

/** A picture on its way: `key` names the entry and the effect. */
export type Preview = { readonly key: string; readonly at: number; readonly node: string | null }

export type Run = {
  readonly id: string
  /** Its place among the runs that were submitted, from 1 on. */
  readonly number: number
  readonly client: string | null
  /** When it was submitted, and the entry; null for a run from before. */
  readonly submittedAt: number | null
  readonly entry: number | null
  from: number | null
  to: number | null
  endEntry: number | null
  state: 'waiting' | 'running' | 'removed' | 'success' | 'error' | 'interrupted'
  readonly nodes: Map<string, RunNode>
  /** Whether the journal says when its nodes begin and end: that of a replay has messages only. */
  hasNodes: boolean
  readonly previews: Preview[]
}

const ends: Readonly<Record<string, Run['state']>> = {
  success: 'success',
  error: 'error',
  interrupted: 'interrupted',
}

/** @param earlier what is known of runs whose entries are missing. */
export function runsOf(
  entries: readonly Entry[],
  requests: readonly Request[],
  earlier: Earlier | null,
): readonly Run[] {
  const runs: Runs = Object.assign(new Map<string, Run>(), {
    places: earlier?.places ?? {},
    count: earlier?.runs ?? 0,
  })
  const submits = new Map(requests.map((one) => [one.entry, one]))
  const runOf = (id: unknown): Run | undefined => runs.get(String(id))
  for (const entry of entries) {
    const request = submits.get(entry.n)
    if (request !== undefined) noteRequest(runs, request)
    for (const [index, effect] of entry.effects.entries()) {
      const { kind, prompt_id, state } = effect
      if (kind === 'run') noteState(addRun(runs, String(prompt_id), null), entry, String(state))
      else if (kind === 'node') noteNode(runOf(prompt_id), entry, effect)
      else if (kind === 'send') noteMessage(runOf, entry, textOf(effect['text']) ?? '')
      else if (kind === 'frame') notePreview(runs, entry, index, membersOf(effect['content']))
      else if (kind === 'lost') {
        const message = membersOf(effect['message'])
        noteMessage(runOf, entry, textOf(message['text']) ?? '')
      } else if (kind === 'restart' || kind === 'exit')
        for (const run of runs.values()) endBy(run, entry)
    }
  }
  return [...runs.values()].toSorted((a, b) => a.number - b.number)
}

/** Runs by id, the places of those that the server knows better, and the number of runs so far. */
type Runs = Map<string, Run> & {
  readonly places: Readonly<Record<string, number>>
  count: number
}

/** The run with this id; a new one if it is not known. */
function addRun(runs: Runs, id: string, request: Request | null): Run {
  const known = runs.get(id)
  if (known !== undefined) return known
  const body = membersOf(request === null ? null : valueOf(bodyOf(request)))
  const run: Run = {
    id,
    number: runs.places[id] ?? ++runs.count,
    client: textOf(body['client_id']),
    submittedAt: request?.at ?? null,
    entry: request?.entry ?? null,
    from: null,
    to: null,
    endEntry: null,
    state: 'waiting',
    nodes: new Map(),
    hasNodes: false,
    previews: [],
  }
  for (const [node_id, node] of Object.entries(membersOf(body['prompt'] ?? body['workflow'])))
    run.nodes.set(node_id, nodeOf(node_id, membersOf(node)))
  runs.set(id, run)
  return run
}

function nodeOf(id: string, { class_type, inputs, _meta }: Members): RunNode {
  const type = textOf(class_type) ?? ''
  const title = textOf(membersOf(_meta)['title']) ?? type
  const blank = {
    from: null,
    to: null,
    entry: null,
    endEntry: null,
    error: null,
    reason: null,
    step: null,
  }
  return { id, title, type, inputs: membersOf(inputs), state: 'waiting', output: null, ...blank }
}

/** A request that submits a run, or removes waiting ones from the queue. */
function noteRequest(runs: Runs, request: Request): void {
  if (request.method !== 'POST' || request.reply === null || (request.status ?? 0) >= 400) return
  const { prompt_id, id } = membersOf(valueOf(request.reply['body']))
  const submitted = prompt_id ?? (request.target.endsWith('/v2/jobs') ? id : undefined)
  if (typeof submitted === 'string') addRun(runs, submitted, request)
  if (!request.target.endsWith('/queue')) return
  const body = membersOf(valueOf(bodyOf(request)))
  const removed: readonly unknown[] = Array.isArray(body['delete']) ? body['delete'] : []
  for (const run of runs.values()) {
    if (run.state !== 'waiting' || !(body['clear'] === true || removed.includes(run.id))) continue
    run.state = 'removed'
    run.to = request.at
    run.endEntry = request.entry
  }
}

function noteState(run: Run, entry: Entry, state: string): void {
  const { n, at } = entry
  // Several messages of a recording can say how a run has ended, and to several clients.
  if (run.to !== null || (state === 'started' && run.from !== null)) return
  const end = ends[state]
  if (end === undefined) {
    run.state = 'running'
    run.from = at
    return
  }
  if (end === 'success' || end === 'error' || end === 'interrupted') endNodes(run, entry, end)
  run.state = end
  run.to = at
  run.endEntry = n
}

/** A restart of the server ends the runs that it had. */
function endBy(run: Run, entry: Entry): void {
  if (run.state !== 'waiting' && run.state !== 'running') return
  endNodes(run, entry, 'interrupted')
  run.state = run.from === null ? 'removed' : 'interrupted'
  run.to = entry.at
  run.endEntry = entry.n
}

function endNode(node: RunNode, at: number, entry: number, state: NodeState): void {
  node.state = state
  node.to = at
  node.endEntry = entry
}

function noteNode(run: Run | undefined, entry: Entry, { node_id, state, error }: Members): void {
  if (run === undefined) return
  run.hasNodes = true
  const node = beginNode(run, entry, String(node_id))
  if (state !== 'started') endNode(node, entry.at, entry.n, state as NodeState)
  node.reason = textOf(error)
}

function beginNode(run: Run, { n, at }: Entry, id: string): RunNode {
  const node = run.nodes.get(id) ?? nodeOf(id, {})
  run.nodes.set(id, node)
  node.from ??= at
  node.entry ??= n
  node.state = 'running'
  return node
}

/** Ends the nodes of a run that are running. */
function endNodes({ nodes }: Run, { n, at }: Entry, state: NodeState): void {
  for (const node of nodes.values()) if (node.state === 'running') endNode(node, at, n, state)
}

/** What a message says of a node beyond its begin and end, and in a journal without these also when it begins. */
function noteMessage(runOf: (id: unknown) => Run | undefined, entry: Entry, text: string): void {
  if (!/"(executed|executing|execution_error|execution_cached|progress)"/.test(text)) return
  const { type, data } = membersOf(valueOf(text))
  const { prompt_id, node, node_id, nodes, output, value, max } = membersOf(data)
  const run = runOf(prompt_id)
  if (type === 'execution_cached' && run?.hasNodes === false)
    for (const id of (nodes ?? []) as readonly string[])
      endNode(beginNode(run, entry, id), entry.at, entry.n, 'cached')
  if (type === 'executing' && run?.hasNodes === false) {
    endNodes(run, entry, 'success')
    if (typeof node === 'string') beginNode(run, entry, node)
  }
  const own = run?.nodes.get(String(node ?? node_id))
  if (own === undefined) return
  if (type === 'executed') own.output = output
  else if (type === 'execution_error') {
    own.error = membersOf(data)
    own.reason ??=
      `${String(own.error['exception_type'])}: ${String(own.error['exception_message'])}`.trim()
  } else if (type === 'progress') own.step = [Number(value), Number(max)]
}

/** A preview belongs to the run that is running: that of its metadata, or the one that began last. */
function notePreview(
  runs: Map<string, Run>,
  { n, at }: Entry,
  index: number,
  content: Members,
): void {
  if (content['frame'] === 'text') return
  const { prompt_id, node_id } = membersOf(content['metadata'])
  const running = [...runs.values()].filter(({ state }) => state === 'running')
  const run = runs.get(String(prompt_id)) ?? running.at(-1)
  const current = [...(run?.nodes.values() ?? [])].find(({ state }) => state === 'running')
  run?.previews.push({ key: `${n}.${index}`, at, node: textOf(node_id) ?? current?.id ?? null })
}
