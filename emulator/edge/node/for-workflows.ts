// The option `for` on Node: reads the workflows, and adds the world that they need to the scenarios of a server. Loaded by
// servers that have the option.

import { type Finding, inferWorld } from '../../infer/infer.ts'
import { isObject, readJson } from '../../lib/json.ts'
import type { NamedWorkflow } from '../../infer/nodes.ts'
import { readWorkflow, workflowPath, workflowIn } from '../../client/workflow.ts'
import { completeOptions } from '../../options/complete.ts'
import type { GivenScenario } from '../../options/scenario.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import { catalogueOf } from '../../server/nodes/catalog.ts'
import { readCatalog } from '../catalog.ts'
import { nodeTypeFiles } from './node-types.ts'

/** Options whose scenario has what the workflows need, and what a person should know about it. */
export type WorldForWorkflows = {
  readonly options: ServerOptionsInput
  readonly findings: readonly Finding[]
}

/**
 * Adds the world that the workflows of the option `for` need. Throws a usage error for what is not a workflow.
 * @param given options whose scenario, if any, is content.
 * @param cwd the folder in which the paths of workflows begin.
 */
export async function worldForWorkflows(
  given: ServerOptionsInput,
  cwd = process.cwd(),
): Promise<WorldForWorkflows> {
  const { for: workflows, ...rest } = given
  const sources = [workflows ?? []].flat() as readonly (string | object)[]
  const named = await Promise.all(sources.map((one, at) => readSource(one, at, cwd)))
  const options = completeOptions({ port: 0, ...rest })
  const typeOf = catalogueOf(readCatalog(options, nodeTypeFiles)())
  const { scenario, findings } = inferWorld(named, typeOf)
  // What the caller declares overrides what is guessed.
  const own = [rest.scenario ?? []].flat() as readonly GivenScenario[]
  return { options: { ...rest, scenario: [scenario, ...own] }, findings }
}

/**
 * Reads a workflow, given as a file or as its content. Throws a usage error for what is not one.
 * @param at its position, which names one without a file.
 */
export async function readSource(
  source: string | object,
  at: number,
  cwd: string,
): Promise<NamedWorkflow & { readonly text: string }> {
  const isFile = typeof source === 'string'
  const name = isFile ? source : `workflow ${at + 1}`
  try {
    const { text } = isFile
      ? await readWorkflow(workflowPath(cwd, source))
      : workflowIn(name, JSON.stringify(source))
    const graph = readJson(text)
    if (!isObject(graph)) throw new Error(`${name} is not a workflow.`)
    return { name, graph, text }
  } catch (error) {
    throw usageError((error as Error).message)
  }
}
