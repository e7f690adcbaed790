// The option `for` on Node: reads the workflows, which can be files. Loaded by servers that have the option.

import { readWorkflow, workflowPath } from '../../client/workflow.ts'
import { completeOptions } from '../../options/complete.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import { readCatalog } from '../catalog.ts'
import {
  sourceIn,
  sourceOf,
  withInferred,
  type WorkflowSource,
  type WorldForWorkflows,
} from '../../infer/for-workflows.ts'
import type { ServerTypes } from '../../infer/server-types.ts'
import { nodeTypeFiles } from './node-types.ts'

/**
 * Adds the world that the workflows of the option `for` need. Throws a usage error for what is not a workflow.
 * @param given options whose scenario, if any, is content.
 * @param where the folder in which the paths of workflows begin, and the server whose types they have.
 */
export async function worldForWorkflows(
  given: ServerOptionsInput,
  {
    cwd = process.cwd(),
    from,
  }: { readonly cwd?: string; readonly from?: ServerTypes | undefined } = {},
): Promise<WorldForWorkflows> {
  const { for: _, values: __, ...rest } = given
  const options = completeOptions({ port: 0, ...given })
  const workflows = await Promise.all(options.for.map((one, at) => readSource(one, at, cwd)))
  const catalogue = readCatalog(options, nodeTypeFiles)()
  return withInferred(rest, options, { workflows, catalogue, from })
}

/**
 * Reads a workflow, given as a file or as its content. Throws a usage error for what is not one.
 * @param at its position, which names one without a file.
 */
export async function readSource(
  source: string | object,
  at: number,
  cwd: string,
): Promise<WorkflowSource> {
  if (typeof source !== 'string') return sourceIn(source, at)
  try {
    return sourceOf(source, await readWorkflow(workflowPath(cwd, source)))
  } catch (error) {
    throw usageError((error as Error).message)
  }
}
