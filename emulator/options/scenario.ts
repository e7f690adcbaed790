// The scenario option: one scenario or several, merged in order.

import { type Script, scenario as scenarioSchema } from '../../spec/scenario/scenario.ts'
import type { NodeRule } from '../../spec/scenario/nodes.ts'
import type { GatewayScript } from '../../spec/scenario/gateway.ts'
import type { Static } from '../../spec/static.ts'
import { isPattern } from '../regex/patterns.ts'
import { wrongAnswers, wrongWaits } from './answers.ts'
import { withoutEffect } from './faults.ts'
import { wrongMessages } from './messages.ts'
import {
  isPlainObject,
  type Schema,
  type Violation,
  violations,
  violationText,
} from './json-schema.ts'
import { copyPlain, notPlain } from './plain-data.ts'
import {
  contentViolations,
  expansionViolations,
  filesOf,
  unmadeFiles,
  wrongModelRules,
  wrongModels,
} from './scenario-parts.ts'

/** A scenario as a caller passes it. Files that it names are read by whoever loads it. */
export type ScenarioInput = Static<typeof scenarioSchema>

/** A scenario that a program passes, which may be a constant. */
export type GivenScenario = Constant<ScenarioInput>

/** The same value, of which nothing changes. */
type Constant<T> = T extends object ? { readonly [Name in keyof T]: Constant<T[Name]> } : T

/** Scenarios merged into one: what the server, the catalogue and the gateway take from them. */
export type Scenario = Required<Script> & {
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
  models: [],
  modelTypes: {},
  answers: [],
  messages: [],
  faults: [],
  gateway: {},
}

/** Reads the option: copies of the scenarios merged in order, or a message that says what is wrong. */
export function readScenarios(value: unknown): Scenario | string {
  const scenarios: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const [index, one] of scenarios.entries()) {
    const wrong = violationOf(one)
    if (wrong === undefined) continue
    const number = scenarios.length > 1 ? `scenario ${index + 1}: ` : ''
    return number + violationText(wrong, 'it')
  }
  return mergeScenarios(copyPlain(scenarios as readonly ScenarioInput[]))
}

/** What is wrong with a scenario that a program passes: the first thing, if any. */
const violationOf = (value: unknown): Violation | undefined =>
  notPlain(value) ??
  scenarioViolations(scenarioSchema, value)[0] ??
  stillOnDisk(value as ScenarioInput)[0]

/** What is wrong with a scenario: first by its schema, then what can have no effect although it matches the schema. */
export function scenarioViolations(schema: Schema, value: unknown): readonly Violation[] {
  const found = violations(schema, value)
  if (found.length > 0) return found
  const {
    start,
    answers,
    messages,
    faults,
    nodes = [],
    types = {},
    models,
    modelTypes,
  } = value as ScenarioInput
  return [
    ...contentViolations(start, nodes),
    ...unmadeFiles(nodes),
    ...nodes.flatMap((rule, index) => wrongPatterns(rule, ['nodes', index, 'validate'])),
    ...nodes.flatMap((rule, index) => expansionViolations(rule, ['nodes', index, 'expands'])),
    ...wrongTypes(types),
    ...wrongModels(modelTypes),
    ...wrongModelRules(models),
    ...wrongAnswers(answers),
    ...wrongWaits(nodes),
    ...wrongMessages(messages),
    ...withoutEffect(
      faults,
      messages?.flatMap(({ type }) => type ?? []),
    ),
  ]
}

/** The additional node types that are none. */
const wrongTypes = (types: object): readonly Violation[] =>
  Object.entries(types).flatMap(([name, type]: [string, unknown]) =>
    isPlainObject(type) && isPlainObject(type['input'])
      ? []
      : {
          path: ['types', name],
          problem: 'is not a node type: it needs the object input, as in GET /object_info',
        },
  )

/** The files that a scenario still only names: whoever can read files has replaced them by their content. */
function stillOnDisk({
  start = {},
  nodes = [],
  answers = [],
  messages = [],
  models = [],
}: ScenarioInput): readonly Violation[] {
  const named: readonly (readonly [path: Violation['path'], value: unknown])[] = [
    ...filesOf(start, nodes).map(([path, { from }]) => [[...path, 'from'], from] as const),
    ...answers.map(({ from }, at) => [['answers', at, 'from'], from] as const),
    ...models.map(({ file }, at) => [['models', at, 'file', 'from'], file?.from] as const),
    ...messages.map(({ frame }, at) => [['messages', at, 'frame', 'from'], frame?.from] as const),
    ...(['history', 'queue'] as const).flatMap((list) =>
      (start[list] ?? []).map(
        ({ workflow }, at) => [['start', list, at, 'workflow'], workflow] as const,
      ),
    ),
    ...(start.cached ?? []).map((workflow, at) => [['start', 'cached', at], workflow] as const),
  ]
  const problem = 'names a file, which cannot be read here: give its content'
  return named.flatMap(([path, value]) => (typeof value === 'string' ? { path, problem } : []))
}

const wrongPatterns = ({ validate = [] }: NodeRule, path: Violation['path']): Violation[] =>
  validate.flatMap(({ pattern = '' }, index) =>
    isPattern(pattern)
      ? []
      : { path: [...path, index, 'pattern'], problem: 'is not a regular expression' },
  )

/** Valid scenarios merged in order. */
export const mergeScenarios = (scenarios: readonly ScenarioInput[]): Scenario =>
  scenarios.reduce(merge, noScenario)

/** Lists are joined in order; of options and types that two scenarios set, the later one applies. */
const merge = (into: Scenario, one: ScenarioInput): Scenario => ({
  version: 1,
  world: { ...into.world, ...one.world },
  start: {
    files: joined(into.start.files, one.start?.files),
    models: joinedModels(into.start.models, one.start?.models),
    ...valuesOf(into.start.values, one.start?.values),
    history: joined(into.start.history, one.start?.history),
    queue: joined(into.start.queue, one.start?.queue),
    cached: joined(into.start.cached, one.start?.cached),
    ...subgraphsOf(into.start.subgraphs, one.start?.subgraphs),
    ...statisticsOf(into.start.statistics, one.start?.statistics),
  },
  runs: joined(into.runs, one.runs),
  nodes: joined(into.nodes, one.nodes),
  types: { ...into.types, ...one.types },
  models: joined(into.models, one.models),
  modelTypes: { ...into.modelTypes, ...one.modelTypes },
  answers: joined(into.answers, one.answers),
  messages: joined(into.messages, one.messages),
  faults: joined(into.faults, one.faults),
  gateway: {
    agent: joined(into.gateway.agent, one.gateway?.agent),
    deliveries: joined(into.gateway.deliveries, one.gateway?.deliveries),
    rateLimits: joined(into.gateway.rateLimits, one.gateway?.rateLimits),
  },
})

type Models = NonNullable<ScenarioInput['start']>['models']

/** The models of two scenarios, by their folder. */
const joinedModels = (first: Models = {}, second: Models = {}): NonNullable<Models> =>
  Object.fromEntries(
    Object.keys({ ...first, ...second }).map((folder) => [
      folder,
      joined(first[folder], second[folder]),
    ]),
  )

type Values = NonNullable<ScenarioInput['start']>['values'] | undefined

/** The values of two scenarios, by type and input; nothing without any. */
function valuesOf(first: Values, second: Values): { readonly values?: NonNullable<Values> } {
  const values = new Map<string, Record<string, (string | number | boolean)[]>>()
  for (const [class_type, inputs] of [first, second].flatMap((one) => Object.entries(one ?? {})))
    for (const [input, more] of Object.entries(inputs)) {
      const known = values.get(class_type)
      values.set(class_type, { ...known, [input]: joined(known?.[input], more) })
    }
  return values.size === 0 ? {} : { values: Object.fromEntries(values) }
}

type Subgraphs = NonNullable<ScenarioInput['start']>['subgraphs']

/** The subgraphs of two scenarios; nothing without any. */
const subgraphsOf = (
  first: Subgraphs = [],
  second: Subgraphs = [],
): Pick<NonNullable<ScenarioInput['start']>, 'subgraphs'> =>
  first.length + second.length === 0 ? {} : { subgraphs: [...first, ...second] }

type Statistics = NonNullable<ScenarioInput['start']>['statistics'] | undefined

/** The statistics of two scenarios: of a member that both have, the later one applies. */
const statisticsOf = (
  first: Statistics,
  second: Statistics,
): Pick<NonNullable<ScenarioInput['start']>, 'statistics'> =>
  first === undefined && second === undefined
    ? {}
    : { statistics: { ...first, ...second, system: { ...first?.system, ...second?.system } } }

const joined = <T>(first: readonly T[] = [], second: readonly T[] = []): T[] => [
  ...first,
  ...second,
]
