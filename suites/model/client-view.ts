// The state of a local server as far as a client can know it from requests and replies: enough to predict hosted.

import type { Graph } from '../generate/graphs.ts'
import type { PlainRequest } from '../generate/actions.ts'

/** A reply. The body is a JSON value, or a text, or `{ bytes }` or `{ link }` with the hash of a file. */
export type PlainReply = { readonly status: number; readonly type: string; readonly body: any }

/** A message, or a frame, as JSON. */
export type ReceivedItem = any

/** What each client received during an action. The listener is a client to which all runs belong on local. */
export type ReceivedByClient = Readonly<Record<string, readonly ReceivedItem[]>>
export const listener = 'listener'

/** A listed run of local: number, id, graph, extra data, outputs. */
export type Item = readonly [number, string, Graph, Readonly<Record<string, unknown>>, string[]]

export type ClientView = {
  /** Milliseconds since 1970. */
  nowMs: number
  /** The queue as it was read last. */
  running: Item | undefined
  pending: readonly Item[]
  /** Rejected submits so far. */
  refused: number
  readonly runs: Map<string, RunView>
  readonly settings: Record<string, unknown>
}

export type RunView = {
  readonly submittedMs: number
  /** Rejected submits before it. */
  readonly refusedBefore: number
  item: Item | undefined
  /** Whether it was interrupted. */
  isStopping: boolean
  /** The nodes that have begun. */
  readonly nodes: string[]
  /** The outputs of its nodes as they were reported. */
  readonly outputs: Map<string, unknown>
}

export const createClientView = (nowMs: number): ClientView => ({
  nowMs,
  running: undefined,
  pending: [],
  refused: 0,
  runs: new Map(),
  settings: {},
})

/** The path of a request without its query. */
export const pathOf = ({ path }: PlainRequest): string => path.split('?')[0] ?? ''
export const isFor = (request: PlainRequest, method: string, path: string | RegExp): boolean =>
  request.method === method &&
  (typeof path === 'string' ? pathOf(request) === path : path.test(pathOf(request)))

/** The pending runs that a change of the queue names, each once, in order. */
export function meantBy(view: ClientView, json: any): readonly string[] {
  const ids = view.pending.map(([, id]) => id)
  if (json.clear === true) return ids
  return [...new Set<string>(json.delete)].filter((id) => ids.includes(id))
}

/** Updates the view from a request, before it is sent. */
export function noteRequest(view: ClientView, request: PlainRequest): void {
  const running = view.runs.get(view.running?.[1] ?? '')
  if (running === undefined || !isFor(request, 'POST', '/interrupt')) return
  const named = request.json.prompt_id
  if (named === undefined || named === view.running?.[1]) running.isStopping = true
}

/** Updates the view from the reply of a local server. */
export function noteReply(
  view: ClientView,
  request: PlainRequest,
  { status, body }: PlainReply,
): void {
  if (isFor(request, 'POST', '/prompt')) {
    if (status !== 200) view.refused++
    else {
      view.runs.set(body.prompt_id, {
        submittedMs: view.nowMs,
        refusedBefore: view.refused,
        item: undefined,
        isStopping: false,
        nodes: [],
        outputs: new Map(),
      })
    }
  }
  if (isFor(request, 'GET', '/queue')) {
    view.running = body.queue_running[0]
    view.pending = body.queue_pending
    for (const item of [...body.queue_running, ...body.queue_pending] as Item[]) {
      const run = view.runs.get(item[1])
      if (run !== undefined) run.item = item
    }
  }
  if (isFor(request, 'POST', '/settings')) Object.assign(view.settings, request.json)
  const setting = /^\/settings\/(.*)/.exec(pathOf(request))?.[1]
  if (request.method === 'POST' && setting !== undefined) view.settings[setting] = request.json
}

/** Updates the view from a message of a local server. */
export function noteMessage({ runs }: ClientView, { type, data }: ReceivedItem): void {
  const run = runs.get(data?.prompt_id)
  if (run === undefined) return
  if (type === 'executing' && data.node !== null) run.nodes.push(data.node)
  if (type === 'executed') run.outputs.set(data.node, data.output)
}
