// Tries whether servers could start with a scenario, without listening.

import type { Deployment } from '../../../spec/language.ts'
import {
  byPlace,
  type LoadedScenario,
  type ScenarioProblem,
  type StartProblem,
} from '../../config/scenario-files.ts'
import { isRefused } from '../../lib/refused.ts'
import {
  completeOptions,
  completeValues,
  scenarioUsers,
  worldOptions,
} from '../../options/complete.ts'
import type { Violation } from '../../options/json-schema.ts'
import { serversOn } from '../../options/like.ts'
import type { OptionValues } from '../../options/read.ts'
import { mergeScenarios, type ScenarioInput } from '../../options/scenario.ts'
import { scenarioWarnings } from '../../options/scenario-warnings.ts'
import { typeViolations } from '../../options/scenario-checks.ts'
import { flagOf } from '../../options/table.ts'
import { isUsageError } from '../../options/usage.ts'
import { createServer } from '../../server/server.ts'
import { knownTypes, readCatalog, requireKnownTypes } from '../catalog.ts'
import { nodeTypeFiles } from './node-types.ts'
import { loadHosted } from './hosted.ts'

/**
 * What is wrong with a scenario that was loaded, errors before warnings: what its file says, and why no server could start
 * with it.
 * @param given options of the server that override those of the scenario.
 */
export async function scenarioProblems(
  loaded: LoadedScenario,
  given: OptionValues,
): Promise<readonly ScenarioProblem[]> {
  const [problems, usable, isRest] =
    'problems' in loaded ? [loaded.problems, loaded.rest, true] : [[], loaded, false]
  if (usable === undefined) return problems
  const { scenario, problemOf } = usable
  const wrong = await tryScenario(scenario, { given, isRest })
  const warnings = [...usable.warnings, ...scenarioWarnings(scenario)]
  return [
    ...[...problems, ...wrong.map((one) => problemOf('error', one))].toSorted(byPlace),
    ...warnings.map((one) => problemOf('warning', one)),
  ]
}

/** How a scenario is tried. */
export type Trial = {
  /** Options of the server that override those of the scenario. */
  readonly given: OptionValues
  /** Whether it is the rest of a scenario, in which only names can be wrong. */
  readonly isRest?: boolean
}

/** Why no server could start with a scenario, on the first deployment of those that it is for; empty if they could. */
export async function tryScenario(
  scenario: ScenarioInput,
  trial: Trial = { given: {} },
): Promise<readonly (Violation | StartProblem)[]> {
  const { deployment = 'local', like } = { ...scenario.world, ...trial.given } as OptionValues
  const likes: readonly unknown[] = like === undefined ? [] : [like].flat()
  const all = deployment === 'both' ? (['local', 'hosted'] as const) : [deployment]
  for (const one of all) {
    const own = likes.find((name) => serversOn(one as Deployment).some((known) => known === name))
    const server = { like: own ?? (all.length > 1 ? null : likes[0]), deployment: one }
    const problems = await tryOn(scenario, trial, server)
    if (problems.length > 0) return problems
  }
  return []
}

async function tryOn(
  scenario: ScenarioInput,
  { given, isRest = false }: Trial,
  server: OptionValues,
): Promise<readonly (Violation | StartProblem)[]> {
  try {
    const script = isRest ? scenario.world : { scenario: [scenario] }
    const own = { ...script, ...given, ...server }
    const where = (name: string): string => (name in given ? flagOf(name) : `world.${name}`)
    const completed = completeValues(own, where)
    const options = isRest ? { ...completed, scenario: mergeScenarios([scenario]) } : completed
    const catalog = readCatalog(options, nodeTypeFiles)
    const isAnyType = options.unknownNodes === 'accept'
    const wrong = [
      ...scenarioUsers(options),
      ...(isAnyType ? [] : typeViolations(options.scenario, () => knownTypes(catalog))),
    ]
    if (wrong.length > 0 || isRest) return wrong
    // The option failures names accounts and types, too.
    requireKnownTypes(completeOptions(own, where), catalog)
    const hosted = options.deployment === 'hosted' ? await loadHosted() : null
    // A start with runs needs what a server loads when the first submit comes.
    await import('../../server/local/provide-on-demand.ts')
    createServer(worldOptions(options, catalog, Date.now(), 0), hosted)
    return []
  } catch (error) {
    if (!isUsageError(error) && !isRefused(error)) throw error
    return [{ path: placeOf(error, scenario), message: error.message }]
  }
}

/** Throws a usage error if options that apply to any server cannot be used. */
export function tryOptions(given: OptionValues): void {
  const { deployment: _, like: __, ...others } = given
  readCatalog(completeValues(others, flagOf), nodeTypeFiles)
}

/** The place that an error is about: a member of the start, or an option of the server. */
function placeOf(error: Error, { world = {} }: ScenarioInput): Violation['path'] {
  if ('path' in error) return error.path as Violation['path']
  const option = /\bworld\.(\w+)/.exec(error.message)?.[1]
  if (option !== undefined && Object.hasOwn(world, option)) return ['world', option]
  return Object.keys(world).length === 0 ? [] : ['world']
}
