// Reads the scenarios of a server or gateway, which can be files.

import type { GivenScenario, ScenarioInput } from '../../options/scenario.ts'

/** The scenarios with the content of the files that they name; without any, loads nothing. */
export async function readScenarios(
  given: string | GivenScenario | readonly (string | GivenScenario)[] | undefined,
): Promise<{ readonly scenario?: readonly ScenarioInput[] }> {
  if (given === undefined) return {}
  const { loadScenarios } = await import('../../config/scenario-files.ts')
  return { scenario: await loadScenarios(given, process.cwd()) }
}
