// Nodes without a known class_type: their errors [workflows/unknown-class, workflows/missing-node-type], or their inputs where
// they are accepted.

import { promptErrors } from '../../../spec/server/errors.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { pythonText } from '../../lib/python.ts'
import type { DeclaredInput } from '../state/nodes.ts'
import type { World } from '../state/world.ts'
import { linkOf, nodeInputs } from './graph.ts'
import * as errors from './node-errors.ts'
import type { Verdict } from './verdict.ts'

/** The same in the words of later servers, which name the node by its title. */
function missingType(id: string, node: Json, class_type: Json | undefined): Verdict {
  const meta = isObject(node) ? node.get('_meta') : undefined
  const title = (isObject(meta) ? meta.get('title') : undefined) ?? class_type
  const words = class_type === undefined ? promptErrors.untypedNode : promptErrors.missingNodeType
  const name = title === undefined ? `ID #${id}` : pythonText(title)
  const extra_info: JsonObject = new Map<string, Json>([
    ['node_id', id],
    ['class_type', class_type ?? null],
    ['node_title', title ?? null],
  ])
  const error = {
    type: words.type,
    message: words.message.replace('{title}', () => name),
    details: words.details.replace('{node_id}', () => id),
    extra_info,
  }
  return { kind: 'refused', error, nodeErrors: new Map() }
}

/** The refusal of a graph with such a node. */
export function unknownClass(
  world: World,
  id: string,
  node: Json,
  class_type: Json | undefined,
): Verdict {
  if (world.setup.traits.reportsMissingTypes) return missingType(id, node, class_type)
  const words =
    class_type === undefined ? promptErrors.missingClassType : promptErrors.unknownClassType
  const name = class_type === undefined ? '' : pythonText(class_type)
  const error = {
    type: words.type,
    message: words.message.replace('{class_type}', () => name),
    details: words.details.replace('{node_id}', () => id),
  }
  // If class_type is not a text, the message contains it as text.
  const blamed = class_type === undefined || class_type === null ? null : name
  const entry = {
    errors: [errors.unknownType(id, blamed, error.message)],
    dependent_outputs: [],
    class_type: blamed,
  }
  const bare = world.setup.quirks.has('workflows.bare-graph-errors')
  return { kind: 'refused', error, nodeErrors: new Map(bare ? [] : [[id, entry]]) }
}

/** The inputs of a node of unknown type: those with a link, of any type [workflows/behind-unknown-types]. */
export const linkedInputs = (graph: JsonObject, id: string): readonly DeclaredInput[] =>
  Array.from(nodeInputs(graph, id)).flatMap(([name, value]) =>
    linkOf(value) === undefined ? [] : { name, required: false, type: '*', options: new Map() },
  )
