// Determines which node of a graph runs next [runs/order-of-outputs]. Nodes can be added, and made to wait, while a run
// is under way.

import { popHeap, pushHeap } from '../../lib/heap.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { NodeType } from '../state/nodes.ts'
import type { Schedule, ScheduledNode } from '../state/runs.ts'
import { nodeInputs, sourceOf } from './graph.ts'

type Types = ReadonlyMap<string, NodeType>

/** What a schedule depends on. */
export type ScheduledGraph = {
  readonly graph: JsonObject
  readonly types: Types
  /** Whether a node already has a result: such nodes are left out unless requested. */
  readonly isDone: (id: string) => boolean
  /** Whether a node requests this input only when it runs. */
  readonly isLazy: (id: string, input: string) => boolean
}

/** A schedule of these nodes and of those that they need. */
export function createSchedule(graph: ScheduledGraph, outputs: readonly string[]): Schedule {
  const schedule: Schedule = { pending: new Map(), ready: [], nextPlace: 0 }
  addToSchedule(schedule, graph, outputs)
  return schedule
}

/** Adds nodes, and those that they need and that are not in the schedule yet. */
export function addToSchedule(
  schedule: Schedule,
  graph: ScheduledGraph,
  ids: readonly string[],
): void {
  const { pending } = schedule
  const added: ScheduledNode[] = []
  // One node after the other, each with the nodes that it needs and earlier ones do not [runs/order-of-outputs].
  const stack = ids.toReversed()
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (pending.has(id)) continue
    const node = { id, place: schedule.nextPlace++, rank: 0, sources: new Set<string>(), feeds: [] }
    pending.set(id, node)
    added.push(node)
    if (graph.isDone(id)) continue
    for (const [input, value] of nodeInputs(graph.graph, id)) {
      const source = sourceOf(value)
      if (source === undefined || graph.isDone(source) || graph.isLazy(id, input)) continue
      node.sources.add(source)
      // Again if another input links to it too: its last link decides [runs/last-link-first].
      stack.push(source)
    }
  }
  for (const { id, sources } of added)
    for (const source of sources) pending.get(source)?.feeds.push(id)
  for (const node of added) if (node.sources.size === 0) makeReady(schedule, graph.types, node)
}

/** A node becomes ready when its sources have finished; the ready node nearest to an output runs first. */
function makeReady({ pending, ready }: Schedule, types: Types, node: ScheduledNode): void {
  const isOutput = (id: string): boolean => types.get(id)?.outputNode ?? false
  const feedsOf = (id: string): readonly string[] => pending.get(id)?.feeds ?? []
  const leads = (id: string): boolean => feedsOf(id).some(isOutput)
  if (isOutput(node.id) || types.get(node.id)?.apiNode) node.rank = 0
  else if (leads(node.id)) node.rank = 1
  else node.rank = node.feeds.some(leads) ? 2 : 3
  pushHeap(ready, node, goesBefore)
}

/** Takes the next node; undefined if none is ready. */
export const takeNext = ({ ready }: Schedule): string | undefined => popHeap(ready, goesBefore)?.id

/** Removes a node that has finished; those that waited only for it become ready. */
export function finishScheduled(schedule: Schedule, types: Types, id: string): void {
  const { pending } = schedule
  const node = pending.get(id)
  pending.delete(id)
  for (const target of node?.feeds ?? []) {
    const waiting = pending.get(target)
    if (waiting?.sources.delete(id) && waiting.sources.size === 0)
      makeReady(schedule, types, waiting)
  }
}

/** Makes a node that has been taken wait for others, which are added if needed. */
export function waitFor(
  schedule: Schedule,
  graph: ScheduledGraph,
  id: string,
  sources: readonly string[],
): void {
  const { pending } = schedule
  const node = pending.get(id) as ScheduledNode
  const open = sources.filter((source) => !graph.isDone(source))
  addToSchedule(schedule, graph, open)
  for (const source of open) {
    if (node.sources.has(source)) continue
    node.sources.add(source)
    pending.get(source)?.feeds.push(id)
  }
  if (node.sources.size === 0) makeReady(schedule, graph.types, node)
}

const goesBefore = (a: ScheduledNode, b: ScheduledNode): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.place < b.place)
