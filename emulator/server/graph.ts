// What a graph says about the way it runs: links, content hashes for the cache, and the order of its nodes [runs/*].

import { isObject, type Json, type JsonObject, numberOf, writeJson } from '../json.ts'
import { hash53 } from '../random.ts'
import type { NodeType } from './catalog.ts'
import { pythonText } from './python.ts'

/** A link to an output of another node. */
export type Link = { readonly source: string; readonly index: number }

const noInputs: JsonObject = new Map()

/** The inputs of a node; empty for whatever has none. */
export function nodeInputs(graph: JsonObject, id: string): JsonObject {
  const node = graph.get(id)
  const inputs = isObject(node) ? node.get('inputs') : undefined
  return isObject(inputs) ? inputs : noInputs
}

/** The link that an input value stands for, or undefined for a literal. */
export function linkOf(value: Json): Link | undefined {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string') return undefined
  const index = numberOf(value[1])
  return index === undefined ? undefined : { source: value[0], index }
}

/** Ids that links of the graph name but no node has, with the node that links there. */
export function brokenLink(graph: JsonObject): { id: string; source: string } | undefined {
  for (const id of graph.keys()) {
    for (const value of nodeInputs(graph, id).values()) {
      const link = linkOf(value)
      if (link !== undefined && !graph.has(link.source)) return { id, source: link.source }
    }
  }
  return undefined
}

/**
 * Content hashes of the nodes: type, inputs and the same for all ancestors, so that ids do not matter.
 * `fingerprint` adds what a node's content depends on besides (a file's bytes), or null.
 * Nodes on a cycle get no hash.
 */
export function contentHashes(
  graph: JsonObject,
  types: ReadonlyMap<string, NodeType>,
  fingerprint: (id: string, type: NodeType) => string | null,
): Map<string, number> {
  const hashes = new Map<string, number>()
  for (const root of graph.keys()) {
    if (hashes.has(root)) continue
    const stack = [root]
    const open = new Set<string>()
    while (stack.length > 0) {
      const id = stack[stack.length - 1] as string
      open.add(id)
      const missing = hashes.has(id) ? undefined : unhashedSource(graph, id, hashes, open)
      if (missing !== undefined) {
        stack.push(missing)
        continue
      }
      stack.pop()
      open.delete(id)
      if (!hashes.has(id)) hashes.set(id, contentHash(graph, id, types, hashes, fingerprint))
    }
  }
  return hashes
}

function unhashedSource(
  graph: JsonObject,
  id: string,
  hashes: ReadonlyMap<string, number>,
  open: ReadonlySet<string>,
): string | undefined {
  for (const value of nodeInputs(graph, id).values()) {
    const source = linkOf(value)?.source
    if (source !== undefined && graph.has(source) && !hashes.has(source) && !open.has(source)) return source
  }
  return undefined
}

function contentHash(
  graph: JsonObject,
  id: string,
  types: ReadonlyMap<string, NodeType>,
  hashes: ReadonlyMap<string, number>,
  fingerprint: (id: string, type: NodeType) => string | null,
): number {
  const type = types.get(id)
  const node = graph.get(id)
  const class_type = isObject(node) ? pythonText(node.get('class_type') ?? null) : ''
  const parts: string[] = []
  for (const [name, value] of nodeInputs(graph, id)) {
    const link = linkOf(value)
    // Equal by Python means equal here: 1, 1.0 and true are one value.
    const text = link ? `@${hashes.get(link.source) ?? 'cycle'}.${link.index}` : literalText(value)
    parts.push(`${name}=${text}`)
  }
  parts.sort()
  const own = type?.readsOwnId ? id : ''
  const outside = type === undefined ? null : fingerprint(id, type)
  return hash53(`${class_type}(${parts.join(';')})${own}#${outside ?? ''}`)
}

function literalText(value: Json): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  const number = numberOf(value)
  if (number !== undefined && typeof value !== 'bigint') return `${number}`
  return writeJson(value)
}

/**
 * The nodes to run, in order. `isCached` tells whether a node already has a result: such nodes are left out unless
 * they are asked for.
 */
export function executionOrder(
  graph: JsonObject,
  outputs: readonly string[],
  types: ReadonlyMap<string, NodeType>,
  isCached: (id: string) => boolean,
): string[] {
  const blockedBy = new Map<string, Set<string>>()
  const feeds = new Map<string, string[]>()
  const stack = [...outputs]
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
  const listed = [...blockedBy.keys()]
  const place = new Map(listed.map((id, index) => [id, index]))
  const ready = listed.filter((id) => blockedBy.get(id)?.size === 0)
  const order: string[] = []
  while (ready.length > 0) {
    let best = 0
    for (let at = 1; at < ready.length; at++) {
      const [a, b] = [ready[at] as string, ready[best] as string]
      const ahead = rank(a) - rank(b)
      if (ahead < 0 || (ahead === 0 && (place.get(a) ?? 0) < (place.get(b) ?? 0))) best = at
    }
    const [id] = ready.splice(best, 1) as [string]
    order.push(id)
    for (const target of feeds.get(id) ?? []) {
      const blocking = blockedBy.get(target)
      blocking?.delete(id)
      if (blocking?.size === 0) ready.push(target)
    }
  }
  return order
}
