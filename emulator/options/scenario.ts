// The scenario option: one scenario or several, merged in order.

import { type Script, scenario as scenarioSchema } from '../../spec/scenario/scenario.ts'
import type { GatewayScript } from '../../spec/scenario/gateway.ts'
import type { Static } from '../../spec/static.ts'
import { withoutEffect } from './faults.ts'
import { type Schema, type Violation, violations, violationText } from './json-schema.ts'

/** A scenario as a caller passes it. Files that it names are read by whoever loads it. */
export type ScenarioInput = Static<typeof scenarioSchema>

/** Scenarios merged into one: what the server, the catalogue and the gateway take from them. */
export type Scenario = Script & {
  readonly version: 1
  /** Options of the server; those of the caller override them. */
  readonly world: object
  /** Additional node types by name, each in the form of its entry in `GET /object_info`. */
  readonly types: object
  readonly gateway: GatewayScript
}

export const noScenario: Scenario = {
  version: 1,
  world: {},
  start: {},
  runs: [],
  nodes: [],
  types: {},
  faults: [],
  gateway: {},
}

/** Reads the option: the scenarios merged in order, or a message that says what is wrong. */
export function readScenarios(value: unknown): Scenario | string {
  const scenarios: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const [index, one] of scenarios.entries()) {
    const [first] = scenarioViolations(scenarioSchema, one)
    if (first !== undefined) return `scenario ${index + 1}: ${violationText(first, 'the scenario')}`
  }
  const merged = mergeScenarios(scenarios as readonly ScenarioInput[])
  const pattern = merged.nodes
    .flatMap(({ validate = [] }) => validate.flatMap((check) => check.pattern ?? []))
    .find((one) => !isPattern(one))
  return pattern === undefined ? merged : `the pattern ${pattern} is not a regular expression`
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** Where a value is not a scenario of this schema, or has faults that can have no effect. */
export function scenarioViolations(schema: Schema, value: unknown): readonly Violation[] {
  const wrong = violations(schema, value)
  return wrong.length > 0 ? wrong : withoutEffect((value as ScenarioInput).faults)
}

/** Valid scenarios merged in order. */
export const mergeScenarios = (scenarios: readonly ScenarioInput[]): Scenario =>
  scenarios.reduce(merge, noScenario)

/** Lists are joined in order; of options and types that two scenarios set, the later one applies. */
const merge = (into: Scenario, one: ScenarioInput): Scenario => ({
  version: 1,
  world: { ...into.world, ...one.world },
  start: {
    files: joined(into.start.files, one.start?.files),
    history: joined(into.start.history, one.start?.history),
    queue: joined(into.start.queue, one.start?.queue),
    cached: joined(into.start.cached, one.start?.cached),
  },
  runs: joined(into.runs, one.runs),
  nodes: joined(into.nodes, one.nodes),
  types: { ...into.types, ...one.types },
  faults: joined(into.faults, one.faults),
  gateway: {
    agent: joined(into.gateway.agent, one.gateway?.agent),
    deliveries: joined(into.gateway.deliveries, one.gateway?.deliveries),
    rateLimits: joined(into.gateway.rateLimits, one.gateway?.rateLimits),
  },
})

const joined = <T>(first: readonly T[] = [], second: readonly T[] = []): T[] => [
  ...first,
  ...second,
]
