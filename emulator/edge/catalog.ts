// The catalogue of node types: the built-in one or replacements, with additional types merged in.

import { described, type Generation, holdsIn } from '../../spec/generations.ts'
import { generationLike } from '../../spec/truth/servers.ts'
import { readJsonText } from '../lib/json-text.ts'
import { isObject, type JsonObject, readJson, writeJson } from '../lib/json.ts'
import { nearest } from '../lib/nearest.ts'
import { isPlainObject } from '../options/json-schema.ts'
import type { Scenario } from '../options/scenario.ts'
import type { NodeTypes, ServerOptions } from '../options/server-options.ts'
import { requireNone, typeViolations } from '../options/scenario-checks.ts'
import { usageError } from '../options/usage.ts'
import { testNodes } from '../server/nodes/test-nodes.ts'

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
 * Returns the text of a catalogue when it is first needed: the built-in one or its replacements, merged with additional
 * types, those of the scenario last; the last type of a name applies. Reads the files of the user immediately, and throws a usage error for one that
 * cannot be read or is not an object of node types.
 */
export function readCatalog(
  { objectInfo, nodes, scenario, like = null }: CatalogOptions,
  { readFile, ...sources }: CatalogSources,
): () => string {
  const bases = objectInfo.map((source) => sourceText(source, 'object-info', readFile))
  const additions = nodes.map((source) => sourceText(source, 'nodes', readFile))
  const scripted = Object.entries(scenario?.types ?? {}).map(scenarioType)
  if (scripted.length > 0) additions.push(JSON.stringify(Object.fromEntries(scripted)))
  let text: string | undefined
  return () => {
    const builtIn = (): readonly string[] => [builtInTypes(generationLike(like), sources)]
    text ??= joined([...(bases.length === 0 ? builtIn() : bases), ...additions])
    return text
  }
}

/** Those of later generations: made once, since a process can start many servers. */
const ofGenerations = new Map<Generation, string>()

/** The built-in types of a generation [catalog/types-of-generation]. */
function builtInTypes(
  generation: Generation,
  { builtIn, later }: Pick<CatalogSources, 'builtIn' | 'later'>,
): string {
  if (generation === described) return builtIn()
  const known = ofGenerations.get(generation)
  if (known !== undefined) return known
  const types = readJson(builtIn()) as JsonObject
  for (const [since, changes] of readJson(later()) as Map<Generation, JsonObject>) {
    if (!holdsIn(generation, { since })) continue
    for (const [name, type] of changes)
      if (type === null) types.delete(name)
      else types.set(name, type)
  }
  const text = writeJson(types)
  ofGenerations.set(generation, text)
  return text
}

/** A type of the scenario, with defaults for the members that it lacks [scenario/types]. */
function scenarioType([name, entry]: [name: string, entry: unknown]): [string, object] {
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
  return [name, { ...usual, ...type }]
}

/** A single text stays as written and is not parsed. */
function joined(texts: readonly string[]): string {
  const [first = '', ...more] = texts
  return more.length === 0 ? first : writeJson(merged(texts))
}

function merged(texts: readonly string[]): JsonObject {
  const types: JsonObject = new Map()
  for (const text of texts) {
    const document = readJson(text)
    if (isObject(document)) for (const [name, type] of document) types.set(name, type)
  }
  return types
}

/** The text of a source, checked immediately, so that an error appears before the first request. */
function sourceText(
  source: string | NodeTypes,
  flag: 'object-info' | 'nodes',
  readFile: CatalogSources['readFile'],
): string {
  if (typeof source !== 'string') {
    requireTypes(source, `The node types of ${flag === 'nodes' ? 'nodes' : 'objectInfo'}`)
    return JSON.stringify(source)
  }
  const text = readFileText(source, readFile)
  const json = readJsonText(text)
  if ('wrong' in json) throw usageError(`${source} ${json.wrong}. ${saveOne}`)
  requireTypes(json.value, source)
  requireReadable(text, source)
  return text
}

/** Rejects files beyond the limits of the JSON reader, which JSON.parse does not have. */
function requireReadable(text: string, source: string): void {
  try {
    readJson(text)
  } catch {
    throw usageError(
      `${source} is nested too deeply, or has a number of too many digits. ${saveOne}`,
    )
  }
}

function readFileText(file: string, readFile: CatalogSources['readFile']): string {
  try {
    return readFile(file)
  } catch (error) {
    throw usageError(`Cannot read the node types: ${(error as Error).message}`)
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
  catalog: () => string,
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
export const knownTypes = (catalog: () => string): readonly string[] =>
  [catalog(), testNodes].flatMap((text) => Object.keys(JSON.parse(text) as object))

function requireKnown(named: readonly (string | undefined)[], known: readonly string[]): void {
  const at = named.findIndex((type) => type !== undefined && !known.includes(type))
  const unknown = named[at]
  if (unknown === undefined) return
  const meant = nearest(unknown, known)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(`Failure ${at + 1} names the unknown node type "${unknown}".${hint}`)
}
