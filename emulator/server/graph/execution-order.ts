// Determines the order in which the nodes of a graph run [runs/order-of-outputs].

import { popHeap, pushHeap } from '../../lib/heap.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { NodeType } from '../state/nodes.ts'
import { nodeInputs, sourceOf } from './graph.ts'

/**
 * The nodes to run, in order. `isCached` returns whether a node already has a result: such nodes are left out unless
 * requested.
 */
export function executionOrder(
  graph: JsonObject,
  outputs: readonly string[],
  types: ReadonlyMap<string, NodeType>,
  isCached: (id: string) => boolean,
): string[] {
  const blockedBy = new Map<string, Set<string>>()
  const feeds = new Map<string, string[]>()
  // One output after the other, each with the nodes that it needs and earlier outputs do not [runs/order-of-outputs].
  const stack = outputs.toReversed()
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (blockedBy.has(id)) continue
    const sources = new Set<string>()
    blockedBy.set(id, sources)
    if (isCached(id)) continue
    for (const value of nodeInputs(graph, id).values()) {
      const source = sourceOf(value)
      if (source === undefined || sources.has(source) || isCached(source)) continue
      sources.add(source)
      const targets = feeds.get(source)
      if (targets === undefined) feeds.set(source, [id])
      else targets.push(id)
      stack.push(source)
    }
  }
  return pickInOrder(blockedBy, feeds, types)
}

/** Nodes become ready when their sources have finished; the ready node nearest to an output runs first. */
function pickInOrder(
  blockedBy: ReadonlyMap<string, Set<string>>,
  feeds: ReadonlyMap<string, readonly string[]>,
  types: ReadonlyMap<string, NodeType>,
): string[] {
  const isOutput = (id: string): boolean => types.get(id)?.outputNode ?? false
  const leads = (id: string): boolean => (feeds.get(id) ?? []).some(isOutput)
  const rank = (id: string): number => {
    if (isOutput(id) || types.get(id)?.apiNode) return 0
    if (leads(id)) return 1
    return (feeds.get(id) ?? []).some(leads) ? 2 : 3
  }
  const places = new Map<string, ReadyNode>()
  for (const id of blockedBy.keys()) places.set(id, { id, place: places.size, rank: rank(id) })
  const ready: ReadyNode[] = []
  const makeReady = (id: string): void => pushHeap(ready, places.get(id) as ReadyNode, goesBefore)
  for (const [id, sources] of blockedBy) if (sources.size === 0) makeReady(id)
  const order: string[] = []
  for (
    let next = popHeap(ready, goesBefore);
    next !== undefined;
    next = popHeap(ready, goesBefore)
  ) {
    order.push(next.id)
    for (const target of feeds.get(next.id) ?? []) {
      const blocking = blockedBy.get(target)
      blocking?.delete(next.id)
      if (blocking?.size === 0) makeReady(target)
    }
  }
  return order
}

/** A node whose sources have finished, with its distance to an output and its place in the list. */
type ReadyNode = { readonly id: string; readonly place: number; readonly rank: number }

const goesBefore = (a: ReadyNode, b: ReadyNode): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.place < b.place)
