// The names of temporary files: each node has letters.

import { get, put } from '../../lib/bounded.ts'
import { drawLetters } from '../../lib/random.ts'
import { type Call, lettersKey } from '../nodes/node.ts'

/** The letters of temporary names; the real server leaves one out. */
const LETTERS = 'abcdefghijklmnopqrstuvxyz'

/** How the names of a node's temporary files begin. */
export function tempPrefix(call: Call): string {
  const { class_type } = call.type
  const key = lettersKey(call.node_id, class_type)
  // On servers of 2026 only this type has an object for each node, which keeps its letters.
  const forgets = call.world.setup.traits.nodesOf2026 && class_type !== 'PreviewImage'
  const known = forgets ? undefined : get(call.world.state.tempLetters, key)
  const letters = known ?? drawLetters(call.world.state.random, LETTERS, 5)
  if (known === undefined) put(call.world.state.tempLetters, key, letters)
  return `ComfyUI_temp_${letters}`
}
