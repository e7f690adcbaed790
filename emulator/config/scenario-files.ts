// Loads scenarios: from files, from those that come with the package, and from programs. The files that they name become
// part of them, so that the options of a server are plain data. Errors state file, line, column and member.

import { basename, dirname, resolve } from 'node:path'
import { scenarioFile } from '../../spec/scenario/nodes.ts'
import { scenarioWorkflow } from '../../spec/scenario/start.ts'
import { endingOf } from '../server/nodes/file-contents.ts'
import { mediaType } from '../server/world/content-types.ts'
import { readNamedFile } from './named-files.ts'
import { readJsonText } from '../lib/json-text.ts'
import { nearest } from '../lib/nearest.ts'
import {
  isPlainObject,
  pathText,
  type Schema,
  type Violation,
  violations,
  violationText,
} from '../options/json-schema.ts'
import { type ScenarioInput, scenarioViolations } from '../options/scenario.ts'
import { scenarioFileSchema } from '../options/scenario-schema.ts'
import { optionTable } from '../options/table.ts'
import { usageError } from '../options/usage.ts'
import { validPart } from '../options/valid-part.ts'
import { packageFile, packageFolder } from './package-files.ts'
import type { NamedPlace, Position } from './scenario-text.ts'

/** What is wrong with a scenario, and where. Line and column are null for one that a program passes. */
export type ScenarioProblem = {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  /** The member, such as `faults[0].then`; null if the file cannot be read. */
  readonly path: string | null
  readonly message: string
  /** A warning does not keep a server from using the scenario. */
  readonly severity: 'error' | 'warning'
}

/** Why no server could start with a scenario, in a whole sentence, and the place in it that is the reason. */
export type StartProblem = { readonly path: Violation['path']; readonly message: string }

export const startProblemText = (one: Violation | StartProblem): string =>
  'message' in one ? one.message : violationText(one, whole)

/** A scenario that can be used. */
export type UsableScenario = {
  readonly scenario: ScenarioInput
  /** What is probably a mistake in the files that it names. */
  readonly warnings: readonly Violation[]
  /** A problem that is found later, with its place in the file. */
  readonly problemOf: (
    severity: ScenarioProblem['severity'],
    one: Violation | StartProblem,
  ) => ScenarioProblem
}

/** A scenario that can be used, or what is wrong with it; the names in the rest of it can be wrong, too. */
export type LoadedScenario =
  | ({ readonly file: string } & UsableScenario)
  | {
      readonly file: string
      readonly problems: readonly ScenarioProblem[]
      readonly rest?: UsableScenario
    }

type OnRead = (path: string) => void

/** The largest scenario file, */
const MAX_FILE_BYTES = 16 * 2 ** 20
/** and the largest total size of the files that one scenario names. */
const MAX_NAMED_BYTES = 256 * 2 ** 20
/** The number of problems that an error lists. */
const MAX_SHOWN = 20

/**
 * Loads scenarios in order. Throws a usage error that lists what is wrong with them.
 * @param folder where relative paths begin.
 * @param onRead called with the path of each file before it is read.
 */
export async function loadScenarios(
  sources: unknown,
  folder: string,
  onRead?: OnRead,
): Promise<readonly ScenarioInput[]> {
  const loaded: LoadedScenario[] = []
  for (const [index, source] of [sources].flat().entries())
    loaded.push(await loadScenario(source, folder, `scenario ${index + 1}`, onRead))
  const problems = loaded.flatMap((one) => ('problems' in one ? one.problems : []))
  if (problems.length > 0) throw usageError(problemsText(problems))
  return loaded.flatMap((one) => ('scenario' in one ? one.scenario : []))
}

/** The problems, one in a line, as compilers write them. */
function problemsText(problems: readonly ScenarioProblem[]): string {
  const lines = problems.slice(0, MAX_SHOWN).map(problemText)
  const more = problems.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

export function problemText({ file, line, column, message, severity }: ScenarioProblem): string {
  const text = severity === 'warning' ? `warning: ${message}` : message
  return line === null ? `${file}: ${text}` : `${file}:${line}:${column}: ${text}`
}

/** Loads one scenario: a file or a name, or its content from a program, which errors call `label`. */
export async function loadScenario(
  source: unknown,
  folder: string,
  label: string,
  onRead: OnRead = () => undefined,
): Promise<LoadedScenario> {
  if (typeof source !== 'string') return checked(label, source, { folder, onRead }, () => null)
  const path = scenarioPath(source, folder)
  onRead(path)
  // Loaded here: a server without scenario files starts without a parser for YAML.
  const { readScenarioText } = await import('./scenario-text.ts')
  const kind = path.endsWith('.json') ? 'JSON' : 'YAML'
  const read = readScenarioText(textOf(path, source), kind)
  if ('wrong' in read) {
    const problem = { file: source, ...read.place, path: null, message: read.wrong }
    return { file: source, problems: [{ ...problem, severity: 'error' }] }
  }
  return checked(source, read.value, { folder: dirname(path), onRead }, read.placeOf)
}

/** Checks a scenario, and reads the files that it names. */
function checked(
  file: string,
  value: unknown,
  within: Pick<FileReader, 'folder' | 'onRead'>,
  placeOf: (at: NamedPlace) => Position | null,
): LoadedScenario {
  const schema = scenarioFileSchema()
  const misfits = violations(schema, value)
  // The rest of a scenario without its version can be wrong, too.
  const part = validPart(schema, isPlainObject(value) ? { ...value, version: 1 } : value)
  const placed = (one: Violation): Violation => ({ ...one, path: part?.placeOf(one.path) ?? [] })
  const found = (
    at: Violation | StartProblem,
    message: string,
    severity: ScenarioProblem['severity'] = 'error',
  ): ScenarioProblem => {
    const { line, column } = placeOf(at) ?? { line: null, column: null }
    return { file, line, column, path: pathText(at.path, whole), message, severity }
  }
  const reader: FileReader = { ...within, wrong: [], warnings: [], bytes: 0 }
  const useless = part === undefined ? [] : scenarioViolations(schema, part.value)
  const scenario = part && withFiles(reader, schema, part.value, [])
  const further = [...useless, ...reader.wrong].map(placed)
  const wrong = [...misfits, ...further.filter((one) => !misfits.some(isInside(one)))]
  const usable: UsableScenario = {
    scenario: scenario as ScenarioInput,
    warnings: reader.warnings,
    problemOf: (severity, one) => {
      const at = Object.assign({}, one, { path: part?.placeOf(one.path) ?? [] })
      return found(at, startProblemText(at), severity)
    },
  }
  if (wrong.length === 0) return { file, ...usable }
  const problems = wrong.map((one) => found(one, violationText(one, whole))).toSorted(byPlace)
  const hasNames =
    part !== undefined && !wrong.some(({ path }) => /^(world|types)$/.test(`${path[0]}`))
  return { file, problems, ...(hasNames && { rest: usable }) }
}

/** Whether a place is that of another problem or inside it, so that it can be the reason for that one. */
const isInside =
  ({ path }: Violation) =>
  (one: Violation): boolean =>
    path.every((part, at) => part === one.path[at])

/** The order of problems: that of their places. */
export const byPlace = (one: ScenarioProblem, other: ScenarioProblem): number =>
  (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0)

/** How errors name a scenario as a whole. */
const whole = 'the scenario'

/** The folder of the scenarios that come with the package. */
const namedFolder = 'recordings/scenarios'

/** The names of the scenarios that come with the package. */
export const scenarioNames = (): readonly string[] =>
  packageFolder(namedFolder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml'))
    .toSorted()

/** The file of a scenario: a name without folder and ending is one of those that come with the package. */
function scenarioPath(source: string, folder: string): string {
  if (/[/\\]|\.(ya?ml|json)$/i.test(source)) return resolve(folder, source)
  const names = scenarioNames()
  if (names.includes(source)) return packageFile(`${namedFolder}/${source}.yaml`)
  const meant = nearest(source, names)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(
    `There is no scenario named ${JSON.stringify(source)}.${hint} List the names with: flowdouble scenarios. A file needs its ending or its folder, such as ./${source}`,
  )
}

/** The text of a scenario file. Throws a usage error if it cannot be read. */
function textOf(path: string, source: string): string {
  try {
    return readNamedFile(path, MAX_FILE_BYTES)
      .toString()
      .replace(/^\uFEFF/, '')
  } catch (error) {
    throw usageError(`Cannot read the scenario ${source}: ${(error as Error).message}.`)
  }
}

/** Reads the files that a scenario names, and collects what is wrong with them. */
type FileReader = {
  readonly folder: string
  readonly onRead: OnRead
  readonly wrong: Violation[]
  readonly warnings: Violation[]
  bytes: number
}

type Path = Violation['path']

/** A part of a scenario with the content of the files that it names. */
function withFiles(reader: FileReader, schema: Schema, value: unknown, path: Path): unknown {
  if (schema === scenarioWorkflow && typeof value === 'string')
    return readWorkflow(reader, value, path)
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema
    return value.map((item, index) => withFiles(reader, items, item, [...path, index]))
  }
  const { properties = {}, additionalProperties: others } = schema
  if (!isPlainObject(value) || (schema.properties === undefined && others === undefined))
    return value
  if (path.length === 1 && path[0] === 'world') return withPaths(value, reader.folder)
  if (properties['from'] === scenarioFile.properties.from) return contentOf(reader, value, path)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : others
      const isKnown = typeof own === 'object'
      return [name, isKnown ? withFiles(reader, own, member, [...path, name]) : member]
    }),
  )
}

type Members = Readonly<Record<string, unknown>>

/** A file of a scenario with its content as base64. Whether it has one content is checked before. */
function contentOf(reader: FileReader, value: Members, path: Path): unknown {
  const { from, ...rest } = value
  if (from === undefined) return value
  const place = [...path, 'from']
  const bytes = readFile(reader, from as string, place)
  if (bytes !== undefined && path.includes('images') && endingOf(bytes) === undefined)
    reader.warnings.push({
      path: place,
      problem: 'is not a picture of a known format; without a filename it is served as image/png',
    })
  if (bytes === undefined) return value
  const content = { ...rest, base64: bytes.toString('base64') }
  return path[0] === 'answers' ? { ...content, headers: typed(value, from as string) } : content
}

/** The headers of an answer with the type that the name of its file suggests [scenario/answer-content]. */
function typed({ headers = {} }: Members, file: string): unknown {
  const type = mediaType(file)
  const own = headers as Members
  const isTyped = Object.keys(own).some((name) => name.toLowerCase() === 'content-type')
  return type === undefined || isTyped ? own : { 'Content-Type': type, ...own }
}

/** The workflow in a file. */
function readWorkflow(reader: FileReader, file: string, path: Path): unknown {
  const text = readFile(reader, file, path)?.toString()
  if (text === undefined) return undefined
  const json = readJsonText(text)
  if ('wrong' in json) reader.wrong.push({ path, problem: `cannot be used: ${file} ${json.wrong}` })
  else if (isPlainObject(json.value)) return json.value
  else reader.wrong.push({ path, problem: `cannot be used: ${file} is not a workflow` })
  return undefined
}

/** The bytes of a file beside the scenario; undefined if it cannot be read. */
function readFile(reader: FileReader, file: string, path: Path): Buffer | undefined {
  const named = resolve(reader.folder, file)
  reader.onRead(named)
  try {
    const bytes = readNamedFile(named, MAX_NAMED_BYTES - reader.bytes)
    reader.bytes += bytes.length
    return bytes
  } catch (error) {
    reader.wrong.push({ path, problem: `cannot be read: ${(error as Error).message}` })
    return undefined
  }
}

/** The options of the server with paths that begin at the folder of the scenario. */
const withPaths = (world: Members, folder: string): Members =>
  Object.fromEntries(
    Object.entries(world).map(([name, value]) => {
      const isPath = (optionTable as Readonly<Record<string, { isPath?: true }>>)[name]?.isPath
      return [name, isPath ? resolved(value, folder) : value]
    }),
  )

const resolved = (value: unknown, folder: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => resolved(one, folder))
  return typeof value === 'string' ? resolve(folder, value) : value
}
