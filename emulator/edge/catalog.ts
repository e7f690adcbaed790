// The catalogue of node types: the built-in one or replacements, with additional types merged in.

import { described, type Generation, holdsIn } from '../../spec/generations.ts'
import { generationLike } from '../../spec/truth/servers.ts'
import { parseLenient, readJsonText } from '../lib/json-text.ts'
import { nearest } from '../lib/nearest.ts'
import { isPlainObject } from '../options/json-schema.ts'
import type { Scenario } from '../options/scenario.ts'
import type { NodeTypes, ServerOptions } from '../options/server-options.ts'
import { requireNone, typeViolations } from '../options/scenario-checks.ts'
import { usageError } from '../options/usage.ts'
import { testNodes } from '../server/nodes/test-nodes.ts'
import { typeTexts, typesByLine } from '../server/nodes/type-texts.ts'
import type { TypeTexts } from '../server/state/nodes.ts'

/** The options that select the node types of a server. */
export type CatalogOptions = Pick<ServerOptions, 'objectInfo' | 'nodes'> & {
  /** The named server, whose generation has its own built-in types. */
  readonly like?: string | null
  readonly scenario?: Pick<Scenario, 'types'>
}

/** Where the texts of node types come from. */
export type CatalogSources = {
  /** The built-in types of the first generation. */
  readonly builtIn: () => string
  /** What each later generation changes in those of the one before: types, or null for those that are gone. */
  readonly later: () => string
  /** Reads a file of the user; throws an error that says why it cannot. */
  readonly readFile: (path: string) => string
}

/**
 * Returns a catalogue when it is first needed: the built-in one or its replacements, merged with additional types, those
 * of the scenario last; the last type of a name applies. Reads the files of the user immediately, and throws a usage error for one that
 * cannot be read or is not an object of node types.
 */
export function readCatalog(
  { objectInfo, nodes, scenario, like = null }: CatalogOptions,
  { readFile, ...sources }: CatalogSources,
): () => TypeTexts {
  const bases = objectInfo.map((source) => sourceTypes(source, 'object-info', readFile))
  const additions = nodes.map((source) => sourceTypes(source, 'nodes', readFile))
  const scripted = Object.entries(scenario?.types ?? {}).map(scenarioType)
  if (scripted.length > 0) additions.push(new Map(scripted))
  let types: TypeTexts | undefined
  return () => {
    const builtIn = (): readonly TypeTexts[] => [builtInTypes(generationLike(like), sources)]
    types ??= merged([...(bases.length === 0 ? builtIn() : bases), ...additions])
    return types
  }
}

/** A single catalogue stays the same one, so that servers can share what they read of it. */
const merged = (catalogues: readonly TypeTexts[]): TypeTexts =>
  catalogues.length === 1 && catalogues[0] !== undefined
    ? catalogues[0]
    : new Map(catalogues.flatMap((types) => Array.from(types)))

/** Those of each generation: made once, since a process can start many servers. */
const ofGenerations = new Map<Generation, TypeTexts>()

/** The built-in types of a generation [catalog/types-of-generation]. */
function builtInTypes(
  generation: Generation,
  { builtIn, later }: Pick<CatalogSources, 'builtIn' | 'later'>,
): TypeTexts {
  const known = ofGenerations.get(generation)
  if (known !== undefined) return known
  const types = new Map(typesByLine(builtIn()))
  const changes = generation === described ? [] : later().matchAll(/^"([\d.]+)":\{(.*?)^\}/gms)
  for (const [, since, changed = ''] of changes) {
    if (!holdsIn(generation, { since: since as Generation })) continue
    for (const [name, type] of typesByLine(changed))
      if (type === 'null') types.delete(name)
      else types.set(name, type)
  }
  ofGenerations.set(generation, types)
  return types
}

/** A type of the scenario, with defaults for the members that it lacks [scenario/types]. */
function scenarioType([name, entry]: [name: string, entry: unknown]): [string, string] {
  requireTypes({ [name]: entry }, 'The node types of the scenario')
  const type = entry as { readonly input: object; readonly output?: readonly unknown[] }
  const { input, output = [] } = type
  const order = Object.entries(input).map(([group, inputs]) => [
    group,
    Object.keys(inputs as object),
  ])
  const usual = {
    input,
    input_order: Object.fromEntries(order) as object,
    output,
    output_is_list: output.map(() => false),
    output_name: output,
    name,
    display_name: name,
    description: '',
    python_module: 'custom_nodes.scenario',
    category: 'scenario',
    output_node: false,
  }
  return [name, JSON.stringify({ ...usual, ...type })]
}

/** The types of a source, checked immediately, so that an error appears before the first request. */
function sourceTypes(
  source: string | NodeTypes,
  flag: 'object-info' | 'nodes',
  readFile: CatalogSources['readFile'],
): TypeTexts {
  if (typeof source !== 'string') {
    requireTypes(source, `The node types of ${flag === 'nodes' ? 'nodes' : 'objectInfo'}`)
    return typeTexts(JSON.stringify(source))
  }
  const text = readFileText(source, readFile)
  const json = readJsonText(text, parseLenient)
  if ('wrong' in json) throw usageError(`${source} ${json.wrong}. ${saveOne}`)
  requireTypes(json.value, source)
  try {
    return typeTexts(text)
  } catch {
    // The JSON reader has limits that JSON.parse does not have.
    throw usageError(
      `${source} is nested too deeply, or has a number of too many digits. ${saveOne}`,
    )
  }
}

function readFileText(file: string, readFile: CatalogSources['readFile']): string {
  try {
    return readFile(file)
  } catch (error) {
    throw usageError(`Cannot read the node types: ${(error as Error).message}. ${saveOne}`)
  }
}

const saveOne = 'Save one with: curl -s http://127.0.0.1:8188/object_info > object_info.json'

function requireTypes(catalog: unknown, name: string): void {
  const entries = isPlainObject(catalog) ? Object.entries(catalog) : []
  const wrong = entries.find(([, entry]) => !isPlainObject(entry) || !isPlainObject(entry['input']))
  if (wrong !== undefined)
    throw usageError(
      `${name}: "${wrong[0]}" is not a node type: each must have an "input" object. ${saveOne}`,
    )
  if (entries.length === 0)
    throw usageError(`${name} must be an object with at least one node type. ${saveOne}`)
}

/** Throws a usage error for a rule about an unknown node type, which would never apply. */
export function requireKnownTypes(
  {
    failures,
    scenario,
    unknownNodes,
  }: Pick<ServerOptions, 'failures' | 'scenario' | 'unknownNodes'>,
  catalog: () => TypeTexts,
): void {
  if (unknownNodes === 'accept') return
  const named = failures.map(({ class_type }) => class_type)
  if (named.some((type) => type !== undefined)) requireKnown(named, knownTypes(catalog))
  requireNone(
    typeViolations(scenario, () => knownTypes(catalog)),
    'The scenario',
  )
}

/** The names of the node types in a catalogue, and of those for tests. */
export const knownTypes = (catalog: () => TypeTexts): readonly string[] =>
  [catalog(), typesByLine(testNodes)].flatMap((types) => Array.from(types.keys()))

function requireKnown(named: readonly (string | undefined)[], known: readonly string[]): void {
  const at = named.findIndex((type) => type !== undefined && !known.includes(type))
  const unknown = named[at]
  if (unknown === undefined) return
  const meant = nearest(unknown, known)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(`Failure ${at + 1} names the unknown node type "${unknown}".${hint}`)
}
