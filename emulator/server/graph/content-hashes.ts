// Content hashes of nodes, by which the result cache knows them [runs/cache-*].

import { isObject, type Json, type JsonObject, numberOf, writeJson } from '../../lib/json.ts'
import { pythonText } from '../../lib/python.ts'
import { hashTexts } from '../../lib/random.ts'
import type { NodeType } from '../state/nodes.ts'
import { linkOf, nodeInputs, sourceOf } from './graph.ts'

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
  spell: Spelling = null,
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
      const source = sourceOf(value)
      if (source !== undefined && graph.has(source) && !met.has(source)) stack.push(source)
    }
  }
  return hashes
}

/** How a text is spelled in a hash; null where it is as it is. */
type Spelling = ((text: string) => string) | null

function contentHash(
  graph: JsonObject,
  id: string,
  types: ReadonlyMap<string, NodeType>,
  hashes: ReadonlyMap<string, number>,
  fingerprint: (id: string, type: NodeType) => string | null,
  spell: Spelling,
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
