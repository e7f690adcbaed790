// The scenarios of `record`: their faults, and the refusal of what a proxy cannot play.

import type { Fault } from '../../../spec/scenario/faults.ts'
import { loadScenarios } from '../../config/scenario-files.ts'
import { mergeScenarios, type ScenarioInput } from '../../options/scenario.ts'
import { usageError } from '../../options/usage.ts'

export type PlayedScenarios = {
  readonly faults: readonly Fault[]
  /** The seed that they name; undefined without one. */
  readonly seed: string | undefined
}

/** Reads scenarios in order. Throws a usage error that names what needs a world. */
export async function readPlayed(
  sources: readonly string[],
  cwd: string,
): Promise<PlayedScenarios> {
  const scenarios = await loadScenarios(sources, cwd)
  const wrong = scenarios.flatMap((one, at) =>
    Array.from(unplayable(one), (what) => `  ${sources[at]}: ${what}`),
  )
  if (wrong.length > 0)
    throw usageError(
      `In front of a real server only faults can be played. These parts need a world:\n${wrong.join('\n')}\n` +
        `Remove them, or learn a world from the server and play the scenario there:\n` +
        `  flowdouble learn --from URL --out server.yaml\n` +
        `  flowdouble serve --scenario ./server.yaml --scenario ${sources.join(' --scenario ')}`,
    )
  const { faults, world } = mergeScenarios(scenarios)
  if (faults.length === 0) throw usageError(`${sources.join(', ')}: there is no fault to play.`)
  const { seed } = world as { readonly seed?: string | number }
  return { faults, seed: seed === undefined ? undefined : `${seed}` }
}

/** Parts of a scenario that say nothing about a world. */
const played: ReadonlySet<string> = new Set(['$schema', 'version', 'about', 'faults', 'world'])

/** What a proxy knows of that which passes: all but the accounts. */
const seen: ReadonlySet<string> = new Set(
  'method path socket message data node atMs clientId nth probability'.split(' '),
)

/** What of a scenario a proxy cannot play, and why. */
function* unplayable(scenario: ScenarioInput): Generator<string> {
  for (const name of Object.keys(scenario)) if (!played.has(name)) yield name
  for (const name of Object.keys(scenario.world ?? {})) if (name !== 'seed') yield `world.${name}`
  for (const [at, { when, then }] of (scenario.faults ?? []).entries()) {
    for (const name of Object.keys(when))
      if (!seen.has(name)) yield `faults[${at}].when.${name} (a proxy does not know it)`
    if (then.restart !== undefined)
      yield `faults[${at}].then.restart (a proxy cannot restart the server; reset its sockets)`
  }
}
