// Checks the parts of a scenario that match its schema but can have no effect: files without content, expansions whose
// links lead nowhere, and models that no call can reach.

import {
  isFile,
  type NodeRule,
  type OutputFile,
  type ScenarioFile,
} from '../../spec/scenario/nodes.ts'
import type { Start } from '../../spec/scenario/start.ts'
import { modelIdPattern } from '../../spec/router/shapes.ts'
import type { ModelRule, ModelType } from '../../spec/scenario/models.ts'
import { endingWithoutSample, hasSample } from '../../spec/scenario/samples.ts'
import { headerProblem } from './faults.ts'
import { isPlainObject, type Violation } from './json-schema.ts'

type Path = Violation['path']
type Graph = Readonly<Record<string, unknown>>
type Placed<T> = readonly (readonly [path: Path, item: T])[]

/** The items of all outputs, with their places. */
export const outputItems = (nodes: readonly NodeRule[] = []): Placed<unknown> =>
  nodes.flatMap(({ outputs = {} }, node) =>
    Object.entries(outputs).flatMap(([key, items]) =>
      items.map((item, at) => [['nodes', node, 'outputs', key, at], item] as const),
    ),
  )

/** The files of a scenario, with their places. */
export const filesOf = (
  start: Start = {},
  nodes: readonly NodeRule[] = [],
): Placed<ScenarioFile | OutputFile> => [
  ...(start.files ?? []).map((file, at) => [['start', 'files', at], file] as const),
  ...outputItems(nodes).flatMap(([path, item]) => (isFile(item) ? [[path, item] as const] : [])),
]

/** The files without exactly one content, and what else is wrong with the items of outputs. */
export const contentViolations = (start?: Start, nodes?: readonly NodeRule[]): Violation[] => [
  ...(start?.files ?? []).flatMap((file, at) =>
    wrongContent(['start', 'files', at], file, ['placeholder']),
  ),
  ...outputItems(nodes).flatMap(([path, item]) => Array.from(wrongItem(path, item))),
]

/** The files that no world can make: the type of their rule makes none, and their format has no sample. */
export const unmadeFiles = (nodes: readonly NodeRule[]): Violation[] =>
  outputItems(nodes).flatMap(([path, item]) => {
    const [, at, , key] = path
    const rule = nodes[Number(at)] as NodeRule
    const ending = endingWithoutSample(rule, String(key), item)
    if (ending === undefined) return []
    const problem = `has own, but ${rule.class_type} makes no file there, and there is no sample .${ending} file: give the file, as from, text or base64`
    return { path, problem }
  })

function* wrongItem(path: Path, item: unknown): Generator<Violation> {
  if (!isPlainObject(item)) return
  if ('json' in item && Object.keys(item).length > 1)
    yield { path, problem: 'has json and other members: put them into json' }
  if (Object.keys(item).length === 0) yield* wrongContent(path, item, ['own'])
  if (!isFile(item)) return
  const { subfolder = '', type = 'output' } = item
  yield* wrongContent(path, item, ['own'])
  if (typeof subfolder !== 'string')
    yield { path: [...path, 'subfolder'], problem: 'must be a text' }
  if (type !== 'output' && type !== 'temp')
    yield { path: [...path, 'type'], problem: 'must be one of output, temp' }
}

/** Why a file does not have exactly one content; empty if it has. */
function wrongContent(
  path: Path,
  file: OutputFile & { readonly placeholder?: string },
  more: readonly ('own' | 'placeholder')[],
): readonly Violation[] {
  const contents = ['from', 'text', 'base64', ...more] as const
  const given = contents.filter((name) => file[name] !== undefined)
  if (given.length > 1) return [{ path, problem: `has ${given.join(' and ')}: choose one` }]
  if (given.length === 1) return []
  const last = more.includes('own') ? ', or own: true' : ''
  return [{ path, problem: `needs from, text or base64 (text: '' for an empty file)${last}` }]
}

/** What is wrong with the graph that a node expands into. */
export function expansionViolations({ expands }: NodeRule, path: Path): readonly Violation[] {
  if (expands === undefined) return []
  const graph = expands.graph as Graph
  const nodes = Object.entries(graph).flatMap(([id, node]): Violation[] => {
    if (isPlainObject(node) && typeof node['class_type'] === 'string') return []
    return [{ path: [...path, 'graph', id], problem: 'is not a node: it needs a class_type' }]
  })
  const results = expands.result.flatMap((one, at): Violation[] =>
    leadsInto(graph, one)
      ? []
      : [{ path: [...path, 'result', at], problem: 'is a link to a node that the graph lacks' }],
  )
  return [...nodes, ...results]
}

/** Whether a value leads into this graph, or is something else than a link. */
export function leadsInto(graph: Graph, value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return true
  const [id, index] = value as readonly unknown[]
  return typeof id !== 'string' || !Number.isInteger(index) || Object.hasOwn(graph, id)
}

const modelId = new RegExp(modelIdPattern)

/** The models that no call can name, or whose output the server cannot make. */
export const wrongModels = (
  types: Readonly<Record<string, ModelType>> = {},
): readonly Violation[] =>
  Object.entries(types).flatMap(([name, { bytes, output }]): Violation[] => {
    const path = ['modelTypes', name]
    if (!modelId.test(name)) return [{ path, problem: modelIdProblem, isName: true }]
    if ((bytes === undefined) === (output === undefined))
      return [{ path, problem: 'has output or bytes, one of both' }]
    return bytes === undefined || hasSample(`x.${bytes}`)
      ? []
      : [{ path: [...path, 'bytes'], problem: 'is not a format that the server can make' }]
  })

const modelIdProblem =
  'is not an id: provider/model, in small letters and digits with . _ or - in between'

/** The rules for calls of models that say two things, or cannot be sent. */
export const wrongModelRules = (rules: readonly ModelRule[] = []): readonly Violation[] =>
  rules.flatMap(({ file, output, headers = {} }, at): readonly Violation[] => {
    const path = ['models', at]
    if (file !== undefined && output !== undefined)
      return [{ path, problem: 'has file and output: choose one' }]
    const sent = Object.entries(headers).filter(([, value]) => value !== null)
    const wrong = headerProblem(Object.fromEntries(sent), [...path, 'headers'])
    if (wrong !== undefined) return [wrong]
    return file === undefined ? [] : wrongContent([...path, 'file'], file, [])
  })
