// The option `for`: adds the world that workflows need to the scenarios of a server.

import { type WorkflowText, workflowIn } from '../client/workflow-text.ts'
import { inferWorld } from './infer.ts'
import type { Finding } from './needs.ts'
import { askedServer, type ServerTypes } from './server-types.ts'
import type { NamedWorkflow } from './nodes.ts'
import { type JsonObject, readJson } from '../lib/json.ts'
import type { GivenScenario } from '../options/scenario.ts'
import type { ServerOptions, ServerOptionsInput } from '../options/server-options.ts'
import { usageError } from '../options/usage.ts'
import { generationLike } from '../../spec/truth/servers.ts'
import { catalogueOf } from '../server/nodes/catalog.ts'
import { traitsOf } from '../server/traits.ts'
import type { TypeTexts } from '../server/state/nodes.ts'

/** The workflows, the node types of a server with the options, and those of the server that knows them. */
type Inference = {
  readonly workflows: readonly NamedWorkflow[]
  readonly catalogue: TypeTexts
  readonly from?: ServerTypes | undefined
}

/** Options whose scenario has what the workflows need, and what a person should know about it. */
export type WorldForWorkflows = {
  readonly options: ServerOptionsInput
  readonly findings: readonly Finding[]
}

/**
 * @param given options whose scenario, if any, is content; without `for` and `values`.
 * @param options these and all others.
 */
export function withInferred(
  given: ServerOptionsInput,
  { deployment, like, values }: ServerOptions,
  { workflows, catalogue, from }: Inference,
): WorldForWorkflows {
  const { checksNewCombos } = traitsOf(deployment, generationLike(like), [])
  const options = { values, checksNewCombos, ...(from && { from: askedServer(from) }) }
  const { scenario, findings } = inferWorld(workflows, catalogueOf(catalogue), options)
  // What the caller declares overrides what is guessed.
  const own = [given.scenario ?? []].flat() as readonly GivenScenario[]
  return { options: { ...given, scenario: [scenario, ...own] }, findings }
}

export type WorkflowSource = NamedWorkflow & { readonly text: string }

/** The graph of a workflow whose text is known to be one. */
export const sourceOf = (name: string, { text }: Pick<WorkflowText, 'text'>): WorkflowSource => ({
  name,
  graph: readJson(text) as JsonObject,
  text,
})

/** A workflow that is given as its content, named by its position. Throws a usage error for what is not one. */
export function sourceIn(content: object, at: number): WorkflowSource {
  const name = `workflow ${at + 1}`
  try {
    return sourceOf(name, workflowIn(name, JSON.stringify(content)))
  } catch (error) {
    throw usageError((error as Error).message)
  }
}
