// Reads the scenario option of a server or gateway on Node.

import type { ScenarioInput } from '../../options/scenario.ts'

/** The scenarios with the content of the files that they name; without any, loads nothing. */
export async function withScenarioFiles(
  given: unknown,
): Promise<{ readonly scenario?: readonly ScenarioInput[] }> {
  if (given === undefined) return {}
  const { loadScenarios } = await import('../../config/scenario-files.ts')
  return { scenario: await loadScenarios(given, process.cwd()) }
}
