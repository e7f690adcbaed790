// Tries whether servers could start with a scenario, without listening.

import { isRefused } from '../../lib/refused.ts'
import { completeValues, scenarioUsers, worldOptions } from '../../options/complete.ts'
import { isPlainObject, type Violation, violationText } from '../../options/json-schema.ts'
import type { ScenarioInput } from '../../options/scenario.ts'
import { typeViolations } from '../../options/scenario-checks.ts'
import { isUsageError } from '../../options/usage.ts'
import { createServer } from '../../server/server.ts'
import { knownTypes, readCatalog } from '../catalog.ts'
import { nodeTypeFiles } from './node-types.ts'
import { loadHosted } from './hosted.ts'

/** Why no server could start, and the place in the scenario that is the reason. */
export type StartProblem = { readonly path: Violation['path']; readonly message: string }

/** Why no server could start with a scenario, on the first deployment of those that it is for; empty if they could. */
export async function tryScenario(scenario: ScenarioInput): Promise<readonly StartProblem[]> {
  const { world } = scenario
  const named = isPlainObject(world) ? world['deployment'] : undefined
  for (const deployment of named === 'both' ? ['local', 'hosted'] : [named ?? 'local']) {
    const problems = await tryOn(deployment, scenario)
    if (problems.length > 0) return problems
  }
  return []
}

async function tryOn(
  deployment: unknown,
  scenario: ScenarioInput,
): Promise<readonly StartProblem[]> {
  try {
    const own = { deployment, scenario: [scenario] }
    const options = completeValues(own, (name) => `world.${name}`)
    const catalog = readCatalog(options, nodeTypeFiles)
    const isAnyType = options.unknownNodes === 'accept'
    const wrong = [
      ...scenarioUsers(options),
      ...(isAnyType ? [] : typeViolations(options.scenario, () => knownTypes(catalog))),
    ]
    if (wrong.length > 0)
      return wrong.map((one) => ({ path: one.path, message: violationText(one, 'the scenario') }))
    const hosted = options.deployment === 'hosted' ? await loadHosted() : null
    // A start with runs needs what a server loads when the first submit comes.
    const { provideOnDemand } = await import('../../server/local/provide-on-demand.ts')
    provideOnDemand()
    createServer(worldOptions(options, catalog, Date.now(), 0), hosted)
    return []
  } catch (error) {
    if (!isUsageError(error) && !isRefused(error)) throw error
    return [{ path: placeOf(error, scenario), message: error.message }]
  }
}

/** The place that an error is about: a member of the start, or an option of the server. */
function placeOf(error: Error, { world = {} }: ScenarioInput): Violation['path'] {
  if ('path' in error) return error.path as Violation['path']
  const option = /\bworld\.(\w+)/.exec(error.message)?.[1]
  if (option !== undefined && Object.hasOwn(world, option)) return ['world', option]
  return Object.keys(world).length === 0 ? [] : ['world']
}
