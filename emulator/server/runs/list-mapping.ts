// Lists [runs/list-*]: every input is one. Calls a node once for each item of the longest list, and joins the results.

import { isObject, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import { hash53 } from '../../lib/random.ts'
import { batchFrom, batchPictures, failing } from '../nodes/node.ts'
import { fitsMemory, outOfMemory } from '../nodes/memory.ts'
import type { Failure, NodeType, Value, Work } from '../state/nodes.ts'
import type { Calls, InputLists } from '../state/runs.ts'

/** The calls of a node with these inputs: one for each item of its longest list [runs/list-maps]. */
export function createCalls(type: NodeType, inputs: InputLists, canExpand: boolean): Calls {
  let count = 1
  if (!type.takesLists) {
    for (const { length } of inputs.values()) count = Math.max(count, length)
  }
  return { count, at: 0, outputs: [], uis: [], max: 0, parts: canExpand ? [] : null }
}

/** The inputs of the next call: an item of each list, the last item of shorter ones, or the whole lists. */
export function inputsOfCall(
  type: NodeType,
  inputs: InputLists,
  { at }: Calls,
): ReadonlyMap<string, Value> {
  const seen = new Map<string, Value>()
  for (const [name, items] of inputs) {
    const item = type.takesLists ? joinItems(items) : items[Math.min(at, items.length - 1)]
    if (item !== undefined) seen.set(name, item)
  }
  return seen
}

/** The failure of a node that is called with an item of an empty list, or undefined. */
export function emptyListFailure(type: NodeType, inputs: InputLists): Work | undefined {
  const isEmpty = !type.takesLists && [...inputs.values()].some(({ length }) => length === 0)
  return isEmpty ? failing('IndexError', 'list index out of range') : undefined
}

/** Calls of one node produce different content, even with the same inputs. */
export const hashOfCall = (hash: number, { at }: Calls): number =>
  at === 0 ? hash : hash53(`${hash} ${at}`)

/** What blocks the next call, or undefined: an item of its inputs, or any item if it takes whole lists. */
export function blockOf(
  type: NodeType,
  inputs: InputLists,
  calls: Calls,
): Extract<Value, { kind: 'blocked' }> | undefined {
  const items = type.takesLists
    ? [...inputs.values()].flat()
    : [...inputsOfCall(type, inputs, calls).values()]
  for (const item of items) if (item.kind === 'blocked') return item
  return undefined
}

/** A list as one value: all its pictures as one batch, of anything else the first item [runs/list-taken-whole]. */
function joinItems(items: readonly Value[]): Value {
  const [first] = items
  if (first === undefined) return { kind: 'literal', value: [] }
  if (first.kind !== 'picture') return first
  const batches = items.filter((item) => item.kind === 'picture')
  if (batches.length === 1) return Object.assign({}, first, { items: batches })
  return Object.assign(batchFrom(batches.flatMap(batchPictures)), { items: batches })
}

/**
 * Adds the result of a call, and moves to the next call. Returns the failure of the node if the results exceed the
 * memory.
 */
export function takeResults(
  calls: Calls,
  type: NodeType,
  work: Work,
  ui: string | null,
): Failure | undefined {
  const { outputs, steps, max = steps } = work
  calls.at++
  if (ui !== null) calls.uis.push(ui)
  if (steps > 0) calls.max = max
  if (calls.parts === null) return joinOutputs(calls, type, outputs)
  calls.parts.push({ work })
  return undefined
}

/** Adds the outputs of a call to those of earlier ones. */
export function joinOutputs(
  calls: Calls,
  type: NodeType,
  outputs: Work['outputs'],
): Failure | undefined {
  for (let index = 0; index < outputs.length; index++) {
    const output = outputs[index] as Value | readonly Value[]
    const given = outputItems(output, type.outputIsList[index] ?? false)
    const items = calls.outputs[index]
    const all = items === undefined ? given : items.concat(given)
    // A single value was checked before it was created.
    if (all.length > 1 && !fitsMemory(all)) return outOfMemory
    calls.outputs[index] = all
  }
  return undefined
}

/** Without other information, a list output consists of the pictures of its batch [runs/list-of-batch]. */
function outputItems(output: Value | readonly Value[], isList: boolean): readonly Value[] {
  if (!('kind' in output)) return output
  if (!isList || output.kind !== 'picture') return [output]
  return batchPictures(output).map((picture) => batchFrom([picture]))
}

/** The outputs for the user of all calls as one: the lists of each key joined [runs/list-joined]. */
export function joinedUi({ uis }: Calls): string | null {
  if (uis.length < 2) return uis[0] ?? null
  const joined: JsonObject = new Map()
  for (const ui of uis) {
    const next = readJson(ui)
    if (!isObject(next)) continue
    for (const [key, items] of next) {
      const list = joined.get(key)
      if (Array.isArray(list) && Array.isArray(items)) for (const item of items) list.push(item)
      else joined.set(key, items)
    }
  }
  return writeJson(joined)
}
