// Reads the scenario option of a server or gateway on Node.

import type { ScenarioInput } from '../../options/scenario.ts'

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
