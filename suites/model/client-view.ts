// What a client of a local server knows of it, from what it asked and was told: enough to say what hosted would tell.

import type { Graph } from '../generate/graphs.ts'
import type { Asked } from '../generate/actions.ts'

/** A reply. The body is a JSON value, or a text, or `{ bytes }` or `{ link }` with the hash of a file. */
export type Told = { readonly status: number; readonly type: string; readonly body: any }

/** A message, or a frame, as JSON. */
export type Received = any

/** What each client has heard during a turn. The ear is a client to which all runs belong on local. */
export type Heard = Readonly<Record<string, readonly Received[]>>
export const ear = 'ear'

/** A listed run of local: number, id, graph, extra data, outputs. */
export type Item = readonly [number, string, Graph, Readonly<Record<string, unknown>>, string[]]

export type Known = {
  /** Milliseconds since 1970. */
  nowMs: number
  /** The queue as it was read last. */
  running: Item | undefined
  pending: readonly Item[]
  /** Submits that were refused so far. */
  refused: number
  readonly runs: Map<string, KnownRun>
  readonly settings: Record<string, unknown>
}

export type KnownRun = {
  readonly submittedMs: number
  /** Submits that were refused before it. */
  readonly refusedBefore: number
  item: Item | undefined
  /** Whether it was interrupted. */
  isStopping: boolean
  /** The nodes that it has begun. */
  readonly nodes: string[]
  /** The outputs of its nodes as they were told. */
  readonly outputs: Map<string, unknown>
}

export const createKnown = (nowMs: number): Known => ({
  nowMs,
  running: undefined,
  pending: [],
  refused: 0,
  runs: new Map(),
  settings: {},
})

/** The path of a request without its query. */
export const pathOf = ({ path }: Asked): string => path.split('?')[0] ?? ''
export const isFor = (asked: Asked, method: string, path: string | RegExp): boolean =>
  asked.method === method &&
  (typeof path === 'string' ? pathOf(asked) === path : path.test(pathOf(asked)))

/** The pending runs that a change of the queue names, each once, in its order. */
export function meantBy(known: Known, json: any): readonly string[] {
  const ids = known.pending.map(([, id]) => id)
  if (json.clear === true) return ids
  return [...new Set<string>(json.delete)].filter((id) => ids.includes(id))
}

/** Learns from a request, before it is sent. */
export function learnAsked(known: Known, asked: Asked): void {
  const running = known.runs.get(known.running?.[1] ?? '')
  if (running === undefined || !isFor(asked, 'POST', '/interrupt')) return
  const named = asked.json.prompt_id
  if (named === undefined || named === known.running?.[1]) running.isStopping = true
}

/** Learns from the reply of a local server. */
export function learnTold(known: Known, asked: Asked, { status, body }: Told): void {
  if (isFor(asked, 'POST', '/prompt')) {
    if (status !== 200) known.refused++
    else {
      known.runs.set(body.prompt_id, {
        submittedMs: known.nowMs,
        refusedBefore: known.refused,
        item: undefined,
        isStopping: false,
        nodes: [],
        outputs: new Map(),
      })
    }
  }
  if (isFor(asked, 'GET', '/queue')) {
    known.running = body.queue_running[0]
    known.pending = body.queue_pending
    for (const item of [...body.queue_running, ...body.queue_pending] as Item[]) {
      const run = known.runs.get(item[1])
      if (run !== undefined) run.item = item
    }
  }
  if (isFor(asked, 'POST', '/settings')) Object.assign(known.settings, asked.json)
  const setting = /^\/settings\/(.*)/.exec(pathOf(asked))?.[1]
  if (asked.method === 'POST' && setting !== undefined) known.settings[setting] = asked.json
}

/** Learns from a message of a local server. */
export function learnHeard({ runs }: Known, { type, data }: Received): void {
  const run = runs.get(data?.prompt_id)
  if (run === undefined) return
  if (type === 'executing' && data.node !== null) run.nodes.push(data.node)
  if (type === 'executed') run.outputs.set(data.node, data.output)
}
