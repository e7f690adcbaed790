// Tries whether servers could start with a scenario, without listening.

import { isRefused } from '../../lib/refused.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import { isPlainObject } from '../../options/json-schema.ts'
import type { ScenarioInput } from '../../options/scenario.ts'
import { isUsageError } from '../../options/usage.ts'
import { createServer } from '../../server/server.ts'
import { readCatalog, requireKnownTypes } from '../catalog.ts'
import { nodeTypeFiles } from './node-types.ts'
import { loadHosted } from './hosted.ts'

/** Why no server could start with a scenario, on each deployment that it is for; undefined if they could. */
export async function tryScenario(scenario: ScenarioInput): Promise<string | undefined> {
  const { world } = scenario
  const named = isPlainObject(world) ? world['deployment'] : undefined
  try {
    for (const deployment of named === 'both' ? ['local', 'hosted'] : [named ?? 'local'])
      await tryOn(deployment, scenario)
    return undefined
  } catch (error) {
    if (isUsageError(error) || isRefused(error)) return error.message
    throw error
  }
}

async function tryOn(deployment: unknown, scenario: ScenarioInput): Promise<void> {
  const options = completeOptions(
    { deployment, scenario: [scenario] },
    (name) => `option "${name}" of world`,
  )
  const objectInfo = readCatalog(options, nodeTypeFiles)
  requireKnownTypes(options, objectInfo)
  const hosted = options.deployment === 'hosted' ? await loadHosted() : null
  createServer(worldOptions(options, objectInfo, Date.now(), 0), hosted)
}
