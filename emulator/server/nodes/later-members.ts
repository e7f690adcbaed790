// What the node types of later local servers say of themselves in addition [catalog/later-members]. Node types that already
// have a member keep it.

import type { Json, JsonObject } from '../../lib/json.ts'

type Members = readonly (readonly [name: string, value: Json])[]

/** Members that follow another one, by its name. */
const following = (takesLists: boolean): Readonly<Record<string, Members>> => ({
  input_order: [['is_input_list', takesLists]],
  output_node: [['has_intermediate_output', false]],
})

/** Members at the end, of types in the old and in the new style. */
const oldEnd: Members = [['search_aliases', []]]
const newEnd: Members = [
  ['output_matchtypes', null],
  ['dev_only', false],
  ['price_badge', null],
  ['search_aliases', null],
  ['essentials_category', null],
]

/** A node type with all its members, in order. */
export function withLaterMembers(
  entry: JsonObject,
  newStyle: boolean,
  takesLists: boolean,
): JsonObject {
  const all: JsonObject = new Map()
  const added = following(takesLists)
  for (const [name, value] of entry) {
    all.set(name, value)
    for (const [own, usual] of added[name] ?? []) if (!entry.has(own)) all.set(own, usual)
  }
  for (const [own, usual] of newStyle ? newEnd : oldEnd) if (!all.has(own)) all.set(own, usual)
  return all
}
