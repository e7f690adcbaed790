// The option `for`: adds the world that workflows need to the scenarios of a server.

import { workflowIn } from '../client/workflow-text.ts'
import { type Finding, inferWorld } from './infer.ts'
import type { NamedWorkflow } from './nodes.ts'
import { isObject, readJson } from '../lib/json.ts'
import type { GivenScenario } from '../options/scenario.ts'
import type { ServerOptionsInput } from '../options/server-options.ts'
import { usageError } from '../options/usage.ts'
import { catalogueOf } from '../server/nodes/catalog.ts'
import type { TypeTexts } from '../server/state/nodes.ts'

/** Options whose scenario has what the workflows need, and what a person should know about it. */
export type WorldForWorkflows = {
  readonly options: ServerOptionsInput
  readonly findings: readonly Finding[]
}

/**
 * @param given options whose scenario, if any, is content; without `for`.
 * @param catalogue the node types of a server with these options.
 */
export function withInferred(
  given: ServerOptionsInput,
  workflows: readonly NamedWorkflow[],
  catalogue: TypeTexts,
): WorldForWorkflows {
  const { scenario, findings } = inferWorld(workflows, catalogueOf(catalogue))
  // What the caller declares overrides what is guessed.
  const own = [given.scenario ?? []].flat() as readonly GivenScenario[]
  return { options: { ...given, scenario: [scenario, ...own] }, findings }
}

export type WorkflowSource = NamedWorkflow & { readonly text: string }

/** The workflow in a text. Throws a usage error for any other text. */
export function sourceIn(name: string, whole: string): WorkflowSource {
  try {
    const { text } = workflowIn(name, whole)
    const graph = readJson(text)
    if (isObject(graph)) return { name, graph, text }
    throw new Error(`${name} is not a workflow.`)
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

/** The name of a workflow that is given as its content. */
export const nameAt = (at: number): string => `workflow ${at + 1}`
