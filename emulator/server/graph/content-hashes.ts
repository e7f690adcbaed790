// Computes the content hashes of nodes, the keys of the result cache [runs/cache-*].

import { isObject, type Json, type JsonObject, numberOf, writeJson } from '../../lib/json.ts'
import { pythonText } from '../../lib/python.ts'
import { hashTexts } from '../../lib/random.ts'
import type { NodeType } from '../state/nodes.ts'
import { linkOf, nodeInputs, sourceOf } from './graph.ts'

/**
 * Content hashes of the nodes: they cover the type, the inputs and all ancestors, but no ids. `fingerprint` returns
 * what the content of a node depends on besides its inputs (such as the bytes of a file), or null. `spell` changes
 * texts before they are hashed. Of the nodes on a cycle, the first one visited counts as unknown to the others.
 */
export function contentHashes(
  graph: JsonObject,
  types: ReadonlyMap<string, NodeType>,
  fingerprint: (id: string, type: NodeType) => string | null,
  spell: Spelling = null,
): Map<string, number> {
  const hashes = new Map<string, number>()
  // Uses an explicit stack, since a workflow may be longer than the call stack is deep. A node is visited twice: first
  // its sources are pushed on top of it; when they are done, it is hashed. A node that occurs below itself is on a
  // cycle.
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

/** How a text is spelled in a hash; null if it is hashed as it is. */
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
  // The order of the inputs makes no difference.
  for (const name of sorted([...inputs.keys()])) {
    const value = inputs.get(name) as Json
    if (texts.length > 2) texts.push(';')
    texts.push(name, '=')
    // A marker distinguishes texts from numbers and links.
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

/** Sorts names in place. A few names are inserted one by one, since `sort` allocates lists. */
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

/** Values that are equal in Python are equal here: 1, 1.0 and true are one value. */
function literalText(value: Json): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  const number = numberOf(value)
  if (number !== undefined && typeof value !== 'bigint') return `${number}`
  return writeJson(value)
}
