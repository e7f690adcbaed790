// The nodes of workflows, as far as they say what world they need.

import { isObject, type JsonObject } from '../lib/json.ts'
import type { NodeType } from '../server/state/nodes.ts'

/** A workflow, and what to call it. */
export type NamedWorkflow = { readonly name: string; readonly graph: JsonObject }

/** A node type by its name; undefined for one that the catalogue lacks. */
export type Catalogue = (class_type: string) => NodeType | undefined

/** A node of a workflow. */
export type WorkflowNode = {
  readonly file: string
  readonly id: string
  readonly class_type: string
  readonly inputs: JsonObject
  readonly graph: JsonObject
}

/** The nodes of a workflow. What has no type is not a node. */
export const nodesOf = ({ name, graph }: NamedWorkflow): readonly WorkflowNode[] =>
  [...graph].flatMap(([id, node]) => {
    const class_type = isObject(node) ? node.get('class_type') : undefined
    const inputs = isObject(node) ? node.get('inputs') : undefined
    if (typeof class_type !== 'string') return []
    return { file: name, id, class_type, inputs: isObject(inputs) ? inputs : new Map(), graph }
  })
