// What a graph says about the way it runs: links, content hashes for the cache, and the order of its nodes [runs/*].

import { popHeap, pushHeap } from '../../lib/heap.ts'
import { isObject, type Json, type JsonObject, numberOf, writeJson } from '../../lib/json.ts'
import { hashTexts } from '../../lib/random.ts'
import { pythonText } from '../../lib/python.ts'
import type { NodeType } from '../state/nodes.ts'

/** A link to an output of another node. */
export type Link = { readonly source: string; readonly index: number }

const noInputs: JsonObject = new Map()

/** The inputs of a node; empty for whatever has none. */
export function nodeInputs(graph: JsonObject, id: string): JsonObject {
  const node = graph.get(id)
  const inputs = isObject(node) ? node.get('inputs') : undefined
  return isObject(inputs) ? inputs : noInputs
}

/** The link in an input value, or undefined for a literal. */
export function linkOf(value: Json): Link | undefined {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string') return undefined
  const index = numberOf(value[1])
  return index === undefined ? undefined : { source: value[0], index }
}

/** A link to a node that the graph does not have, of a node that these outputs need: who links, and where. */
export function brokenLink(
  graph: JsonObject,
  outputs: readonly string[],
): { id: string; source: string } | undefined {
  const needed = new Set(outputs)
  // A set that grows while it is walked through is walked through to its end.
  for (const id of needed) {
    for (const value of nodeInputs(graph, id).values()) {
      const source = linkOf(value)?.source
      if (source === undefined) continue
      if (!graph.has(source)) return { id, source }
      needed.add(source)
    }
  }
  return undefined
}

/**
 * Content hashes of the nodes: type, inputs and the same for all ancestors, so that ids do not matter.
 * `fingerprint` adds what a node's content depends on besides (a file's bytes), or null.
 * `spell` changes the texts before they are hashed.
 * Of nodes on a cycle the one met first counts as unknown to the others.
 */
export function contentHashes(
  graph: JsonObject,
  types: ReadonlyMap<string, NodeType>,
  fingerprint: (id: string, type: NodeType) => string | null,
  spell: Spell = null,
): Map<string, number> {
  const hashes = new Map<string, number>()
  // A stack of its own, since a workflow may be longer than the call stack is deep. A node is met twice: first its
  // sources go on top of it, then, when they are done, it is hashed. Met again below itself, it is on a cycle.
  const stack = [...graph.keys()].toReversed()
  const met = new Set<string>()
  for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
    if (hashes.has(id) || met.has(id)) {
      stack.pop()
      if (!hashes.has(id)) hashes.set(id, contentHash(graph, id, types, hashes, fingerprint, spell))
      continue
    }
    met.add(id)
    for (const value of nodeInputs(graph, id).values()) {
      const source = linkOf(value)?.source
      if (source !== undefined && graph.has(source) && !met.has(source)) stack.push(source)
    }
  }
  return hashes
}

/** How a text is spelled in a hash; null where it is as it is. */
type Spell = ((text: string) => string) | null

function contentHash(
  graph: JsonObject,
  id: string,
  types: ReadonlyMap<string, NodeType>,
  hashes: ReadonlyMap<string, number>,
  fingerprint: (id: string, type: NodeType) => string | null,
  spell: Spell,
): number {
  const type = types.get(id)
  const node = graph.get(id)
  const class_type = isObject(node) ? pythonText(node.get('class_type') ?? null) : ''
  const inputs = nodeInputs(graph, id)
  const texts: string[] = [class_type, '(']
  // The order in which the inputs are named makes no difference.
  for (const name of sorted([...inputs.keys()])) {
    const value = inputs.get(name) as Json
    if (texts.length > 2) texts.push(';')
    texts.push(name, '=')
    // A mark keeps texts apart from numbers and links.
    if (typeof value === 'string') texts.push('"', value)
    else {
      const link = linkOf(value)
      if (link === undefined) texts.push(literalText(value))
      else texts.push('@', `${hashes.get(link.source) ?? 'cycle'}`, '.', `${link.index}`)
    }
  }
  const own = type?.readsOwnId ? id : ''
  const outside = type === undefined ? null : fingerprint(id, type)
  texts.push(')', own, '#', outside ?? '')
  return hashTexts(spell === null ? texts : texts.map(spell))
}

/** Sorts names in place. Few are moved to their places one by one, since `sort` makes lists of its own. */
function sorted(names: string[]): string[] {
  if (names.length > 16) return names.sort()
  for (let index = 1; index < names.length; index++) {
    const name = names[index] as string
    let place = index
    for (; place > 0 && (names[place - 1] as string) > name; place--) {
      names[place] = names[place - 1] as string
    }
    names[place] = name
  }
  return names
}

/** Equal by Python means equal here: 1, 1.0 and true are one value. */
function literalText(value: Json): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  const number = numberOf(value)
  if (number !== undefined && typeof value !== 'bigint') return `${number}`
  return writeJson(value)
}

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
  // One output after the other: each with what it needs and those before it do not [runs/order-of-outputs].
  const stack = outputs.toReversed()
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (blockedBy.has(id)) continue
    const sources = new Set<string>()
    blockedBy.set(id, sources)
    if (isCached(id)) continue
    for (const value of nodeInputs(graph, id).values()) {
      const source = linkOf(value)?.source
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

/** Nodes become ready as their sources finish; of those ready the nearest to an output goes first. */
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
  const places = new Map(
    Array.from(blockedBy.keys(), (id, place) => [id, { id, place, rank: rank(id) }]),
  )
  const ready: Ready[] = []
  const makeReady = (id: string): void => pushHeap(ready, places.get(id) as Ready, goesBefore)
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

/** A node whose sources are done, by its nearness to an output and its place in the list. */
type Ready = { readonly id: string; readonly place: number; readonly rank: number }

const goesBefore = (a: Ready, b: Ready): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.place < b.place)
