// Reads the scenario option of a server or gateway on Node.

import type { ScenarioInput } from '../../options/scenario.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'

/** The scenarios with the content of the files that they name. */
export async function readScenarioFiles(given: unknown): Promise<readonly ScenarioInput[]> {
  const { loadScenarios } = await import('../../config/scenario-files.ts')
  return loadScenarios(given, process.cwd())
}

/** The same as an option; without any, loads nothing. */
export const withScenarioFiles = async (
  given: unknown,
): Promise<{ readonly scenario?: readonly ScenarioInput[] }> =>
  given === undefined ? {} : { scenario: await readScenarioFiles(given) }

/** Whether options name workflows, whose needs are then inferred. */
export const hasWorkflows = ({ for: workflows }: ServerOptionsInput): boolean =>
  [workflows ?? []].flat().length > 0

/**
 * Options whose scenario is content, with what its workflows need [scenario/for-workflows].
 * @param base the options on which these are based.
 */
export async function withContent(
  given: ServerOptionsInput,
  base: ServerOptionsInput = {},
): Promise<ServerOptionsInput> {
  const options = { ...given, ...(await withScenarioFiles(given.scenario)) }
  const asks = hasWorkflows(given) || given.values === true
  if (!asks || !hasWorkflows({ ...base, ...given })) return options
  const { worldForWorkflows } = await import('./for-workflows.ts')
  const { scenario } = (await worldForWorkflows({ ...base, ...options })).options
  return { ...options, ...(scenario !== undefined && { scenario }) }
}
